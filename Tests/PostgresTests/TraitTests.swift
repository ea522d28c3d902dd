import Testing

#if !BELLHOP_POSTGRES
/// The place of the suites in a build without the trait.
@Test("PostgreSQL", .disabled("this build lacks the trait PostgreSQL"))
func withoutTrait() {}
#endif
