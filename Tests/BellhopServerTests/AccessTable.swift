import HTTPTypes

@testable import BellhopServer

/// The expected access to each endpoint, one line per endpoint.
///
/// `AccessTests` calls all of them with every kind of token, and fails for an endpoint without a
/// line. The key is the method and the pattern, with a leading slash for patterns outside `/v1.0`.
struct AccessExpectation {
  enum Audience {
    /// Any caller; tokens are not checked.
    case open
    /// Device tokens of the user.
    case device
    /// The token of the device named in the path.
    case ownDevice
    /// Device tokens, and app tokens of the item's app.
    case item
    /// Device tokens, and publish and app tokens of the app.
    case publish
    /// As `publish`, where the token determines the app.
    case ownApp
  }

  var audience: Audience
  /// A body with which a publishing endpoint publishes for the app `topic`.
  var body = "{}"
  /// The query after the path.
  var query = ""
  /// Whether the answer is a success whose parts are refused one by one.
  var refusesInside = false

  static let open = AccessExpectation(audience: .open)
  static let device = AccessExpectation(audience: .device)
  static let ownDevice = AccessExpectation(audience: .ownDevice)
  static let item = AccessExpectation(audience: .item)

  static func ownApp(_ body: String) -> AccessExpectation {
    AccessExpectation(audience: .ownApp, body: body)
  }

  static func publish(_ body: String, refusesInside: Bool = false) -> AccessExpectation {
    AccessExpectation(audience: .publish, body: body, refusesInside: refusesInside)
  }

  private static let publication =
    #"{"targetHostName":"topic","payload":{"rawContent":"planted"}}"#
  private static let batch = """
    {"requests":[{"id":"1","method":"POST","url":"/me/notifications","body":\(publication)}]}
    """
  private static let publisher = AccessExpectation(
    audience: .publish, body: #"{"groupName":"planted"}"#, query: "?targetHostName=topic")

  private static let ofPublisher = AccessExpectation(audience: .publish)

  static let table: [String: AccessExpectation] = [
    "DELETE me/devices/:id": .device,
    "DELETE me/notifications/app/:appNotificationID": publisher,
    "DELETE me/notifications/:id": .item,
    "DELETE me/requests": publisher,
    "DELETE me/requests/delivered": publisher,
    "GET me/requests": publisher,
    "GET /.well-known/oauth-authorization-server": .open,
    "GET /.well-known/oauth-protected-resource": .open,
    "DELETE subscriptions/:id": .device,
    "GET /file/:id": .open,
    "POST me/attachments": .ownApp("planted"),
    "GET /health": .open,
    "GET /health/live": .open,
    "GET /health/ready": .open,
    "GET /metrics": .open,
    "GET /oauth/device": .open,
    "GET /v1/health": .open,
    "GET /openapi.json": .open,
    "GET me/deviceGrants/:code": .device,
    "DELETE me/tokens/:id": .device,
    "GET me/tokens": .device,
    "GET me/tokens/:id": .device,
    "POST me/tokens": .device,
    "GET me/apps": .device,
    "GET me/apps/:host": .device,
    "GET me/notifications/:id/response": AccessExpectation(audience: .ownApp),
    "GET me/apps/:host/authorization": ofPublisher,
    "PUT me/apps/:host/badge": AccessExpectation(audience: .publish, body: #"{"badge":1}"#),
    "GET me/apps/:host/categories": ofPublisher,
    "GET me/apps/:host/categories/:id": ofPublisher,
    "PUT me/apps/:host/categories/:id": ofPublisher,
    "DELETE me/apps/:host/categories/:id": ofPublisher,
    "GET me/devices": .device,
    "GET me/devices/:id": .device,
    "GET me/notifications": .item,
    "GET me/notifications/:id": .item,
    "GET me/notifications/delta": .device,
    "GET me/notifications/signal": .device,
    "GET subscriptions": .device,
    "GET subscriptions/:id": .device,
    "PATCH me/apps/:host": .device,
    "PATCH me/devices/:id": .ownDevice,
    "PATCH me/notifications/:id": .item,
    "PATCH me/notifications/app/:appNotificationID": publisher,
    "POST $batch": .publish(batch, refusesInside: true),
    "POST me/notifications/bulk": .publish(publication, refusesInside: true),
    "DELETE /:topic/:sequence": .publish(""),
    "GET /:topic/auth": .item,
    "DELETE /application/:id": .device,
    "DELETE /application/:id/image": .device,
    "DELETE /application/:id/message": .item,
    "DELETE /client/:id": .item,
    "DELETE /message": .item,
    "DELETE /message/:id": .item,
    "GET /application": .item,
    "GET /application/:id/message": .item,
    "GET /client": .item,
    "GET /current/user": .item,
    "GET /message": .item,
    "GET /stream": .item,
    "GET /version": .open,
    "POST /application": .device,
    "POST /application/:id/image": .device,
    "POST /client": .item,
    "POST /hooks/:name": .ownApp("{}"),
    "POST /message": .ownApp(#"{"message":"planted"}"#),
    "POST /notify": .ownApp(#"{"message":"planted"}"#),
    "POST /notify/:app": .publish(#"{"message":"planted"}"#),
    "GET /:topic/ws": .item,
    "GET /:topic/json": .item,
    "GET /:topic/raw": .item,
    "GET /:topic/sse": .item,
    "GET /:topic/publish": .publish(""),
    "GET /:topic/send": .publish(""),
    "GET /:topic/trigger": .publish(""),
    "GET /v1/account": .item,
    "GET /v1/config": .open,
    "POST /": .publish(#"{"topic":"topic","message":"planted"}"#),
    "POST /:topic": .publish("planted"),
    "POST /:topic/:sequence": .publish("planted"),
    "PUT /": .publish(#"{"topic":"topic","message":"planted"}"#),
    "PUT /:topic/:sequence": .publish("planted"),
    "PUT /:topic/:sequence/clear": .publish(""),
    "PUT /:topic/:sequence/read": .publish(""),
    "POST /oauth/device_authorization": .open,
    "POST /oauth/token": .open,
    "POST me/deviceGrants/:code": .device,
    "POST me/devices": .device,
    "POST me/devices/:id/operations": .ownDevice,
    "POST me/notifications": .publish(publication),
    "PATCH subscriptions/:id": .device,
    "POST subscriptions": .device,
    "PUT /application/:id": .device,
    "PUT /client/:id": .item,
    "PUT /:topic": .publish("planted"),
  ]
}

extension Endpoint {
  /// The endpoint's key in ``AccessExpectation/table``.
  var accessKey: String { "\(method) \(root == .top ? "/" : "")\(pattern)" }
}
