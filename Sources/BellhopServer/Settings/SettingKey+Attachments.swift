internal import BellhopStore

/// The keys of files that publishers upload.
extension SettingKey {
  static let attachments: [SettingKey] = [
    .bytes(
      "store.attachment-bytes-max", \.limits.attachmentBytesMax, 1024...(4 << 30),
      "Of one file that a publisher uploads."),
    .bytes(
      "store.app-attachments-bytes-max", \.limits.appAttachmentsBytesMax, 0...(1 << 40),
      "The files of one app; small ones count as 4 KiB. 0: apps can upload none."),
    .bytes(
      "store.user-attachments-bytes-max", \.limits.userAttachmentsBytesMax, 0...(1 << 40),
      "The files of one user; more than one app's, so that no app alone takes all."),
    .span(
      "store.attachments-keep", \.limits.attachmentsKeep, .seconds(60)...TimeSpan.longest,
      "How long a file stays after its item's arrival, if the item stays so long."),
    .span(
      "store.upload-life", \.limits.uploadLife, .seconds(10)...(.seconds(86_400)),
      "How long an upload waits for a publication that names it."),
  ]
}
