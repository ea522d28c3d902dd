/// Folds scalars so that case and diacritics don't matter to a search.
///
/// Latin and Greek letters lose their diacritics; everything else is only lower-cased, because a
/// mark makes another letter in the other scripts.
enum Folding {
  /// The folded form of a letter, digit or mark, in UTF-8.
  static func append(_ scalar: Unicode.Scalar, to bytes: inout [UInt8]) {
    if let folded = withoutDiacritics[scalar.value] {
      bytes.append(contentsOf: folded)
    } else if (0xFF01...0xFF5E).contains(scalar.value) {
      let ascii = UInt8(scalar.value - 0xFEE0)
      bytes.append((0x41...0x5A).contains(ascii) ? ascii | 0x20 : ascii)
    } else {
      // The lower case of a few, such as the sign for ångström, is a letter of the table.
      for lower in scalar.properties.lowercaseMapping.unicodeScalars {
        bytes.append(contentsOf: withoutDiacritics[lower.value] ?? Array(String(lower).utf8))
      }
    }
  }

  private static let withoutDiacritics: [UInt32: [UInt8]] = {
    var table: [UInt32: [UInt8]] = [:]
    for (base, variants) in variantsOfLetters {
      for scalar in variants.unicodeScalars { table[scalar.value] = Array(base.utf8) }
    }
    return table
  }()

  /// Letters with what they are found as: the base of their canonical decomposition
  /// (Unicode 15), and the usual transcription of those that have none.
  private static let variantsOfLetters: [(base: String, variants: String)] = [
    ("a", "ÀÁÂÃÄÅàáâãäåĀāĂăĄąǍǎǞǟǠǡǺǻȀȁȂȃȦȧḀḁẠạẢảẤấẦầẨẩẪẫẬậẮắẰằẲẳẴẵẶặ"),
    ("ae", "ÆæǢǣǼǽ"),
    ("b", "ḂḃḄḅḆḇ"),
    ("c", "ÇçĆćĈĉĊċČčḈḉ"),
    ("d", "ÐðĎďĐđḊḋḌḍḎḏḐḑḒḓ"),
    ("e", "ÈÉÊËèéêëĒēĔĕĖėĘęĚěȄȅȆȇȨȩḔḕḖḗḘḙḚḛḜḝẸẹẺẻẼẽẾếỀềỂểỄễỆệ"),
    ("f", "Ḟḟ"),
    ("g", "ĜĝĞğĠġĢģǦǧǴǵḠḡ"),
    ("h", "ĤĥĦħȞȟḢḣḤḥḦḧḨḩḪḫẖ"),
    ("i", "ÌÍÎÏìíîïĨĩĪīĬĭĮįİıǏǐȈȉȊȋḬḭḮḯỈỉỊị"),
    ("ij", "Ĳĳ"),
    ("j", "Ĵĵǰ"),
    ("k", "ĶķǨǩḰḱḲḳḴḵ"),
    ("l", "ĹĺĻļĽľŁłḶḷḸḹḺḻḼḽ"),
    ("m", "ḾḿṀṁṂṃ"),
    ("n", "ÑñŃńŅņŇňǸǹṄṅṆṇṈṉṊṋ"),
    ("o", "ÒÓÔÕÖØòóôõöøŌōŎŏŐőƠơǑǒǪǫǬǭǾǿȌȍȎȏȪȫȬȭȮȯȰȱṌṍṎṏṐṑṒṓỌọỎỏỐốỒồỔổỖỗ"),
    ("o", "ỘộỚớỜờỞởỠỡỢợ"),
    ("oe", "Œœ"),
    ("p", "ṔṕṖṗ"),
    ("r", "ŔŕŖŗŘřȐȑȒȓṘṙṚṛṜṝṞṟ"),
    ("s", "ŚśŜŝŞşŠšſȘșṠṡṢṣṤṥṦṧṨṩẛ"),
    ("ss", "ßẞ"),
    ("t", "ŢţŤťŦŧȚțṪṫṬṭṮṯṰṱẗ"),
    ("th", "Þþ"),
    ("u", "ÙÚÛÜùúûüŨũŪūŬŭŮůŰűŲųƯưǓǔǕǖǗǘǙǚǛǜȔȕȖȗṲṳṴṵṶṷṸṹṺṻỤụỦủỨứỪừỬửỮữỰự"),
    ("v", "ṼṽṾṿ"),
    ("w", "ŴŵẀẁẂẃẄẅẆẇẈẉẘ"),
    ("x", "ẊẋẌẍ"),
    ("y", "ÝýÿŶŷŸȲȳẎẏẙỲỳỴỵỶỷỸỹ"),
    ("z", "ŹźŻżŽžẐẑẒẓẔẕ"),
    ("ʒ", "Ǯǯ"),
    ("ʹ", "ʹ"),
    ("α", "ΆάἀἁἂἃἄἅἆἇἈἉἊἋἌἍἎἏὰάᾀᾁᾂᾃᾄᾅᾆᾇᾈᾉᾊᾋᾌᾍᾎᾏᾰᾱᾲᾳᾴᾶᾷᾸᾹᾺΆᾼ"),
    ("ε", "ΈέἐἑἒἓἔἕἘἙἚἛἜἝὲέῈΈ"),
    ("η", "ΉήἠἡἢἣἤἥἦἧἨἩἪἫἬἭἮἯὴήᾐᾑᾒᾓᾔᾕᾖᾗᾘᾙᾚᾛᾜᾝᾞᾟῂῃῄῆῇῊΉῌ"),
    ("ι", "ΊΐΪίϊἰἱἲἳἴἵἶἷἸἹἺἻἼἽἾἿὶίιῐῑῒΐῖῗῘῙῚΊ"),
    ("ο", "ΌόὀὁὂὃὄὅὈὉὊὋὌὍὸόῸΌ"),
    ("ρ", "ῤῥῬ"),
    ("υ", "ΎΫΰϋύὐὑὒὓὔὕὖὗὙὛὝὟὺύῠῡῢΰῦῧῨῩῪΎ"),
    ("ω", "ΏώὠὡὢὣὤὥὦὧὨὩὪὫὬὭὮὯὼώᾠᾡᾢᾣᾤᾥᾦᾧᾨᾩᾪᾫᾬᾭᾮᾯῲῳῴῶῷῺΏῼ"),
    ("ϒ", "ϓϔ"),
  ]
}
