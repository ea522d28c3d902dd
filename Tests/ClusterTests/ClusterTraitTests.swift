import Testing

#if !BELLHOP_POSTGRES
/// The place of the suites in a build without the trait.
@Test("A cluster", .disabled("this build lacks the trait PostgreSQL"))
func clusterWithoutTrait() {}
#endif
