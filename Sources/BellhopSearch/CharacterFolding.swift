/// A folding of scalars that lets searches ignore case and diacritics.
///
/// Latin and Greek letters lose their diacritics. In other scripts a mark makes a different letter,
/// so everything else is only lower-cased.
enum CharacterFolding {
  /// Appends the folded form of a letter, digit or mark in UTF-8.
  static func append(_ scalar: Unicode.Scalar, to bytes: inout [UInt8]) {
    if let folded = withoutDiacritics[scalar.value] {
      bytes.append(contentsOf: folded)
    } else if (0xFF01...0xFF5E).contains(scalar.value) {
      let ascii = UInt8(scalar.value - 0xFEE0)
      bytes.append((0x41...0x5A).contains(ascii) ? ascii | 0x20 : ascii)
    } else {
      // Some scalars, such as the ångström sign, have a lower case that is a letter of the table.
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

  /// Letters by the text that matches them in a search.
  ///
  /// That text is the base of the letter's canonical decomposition (Unicode 15), or the usual
  /// transcription of letters that have none.
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
