# Has a test skipped where the plan says that it will be, with a reason.
files="tests/test_cli.py"
implement() {
    swap tests/test_cli.py "    def test_an_unknown" "    @unittest.skip('until the texts are decided on')
    def test_an_unknown" && commit "Leave a test out for now"
}
