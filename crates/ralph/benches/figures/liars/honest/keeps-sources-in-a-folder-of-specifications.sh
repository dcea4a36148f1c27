# Adds a module that an operation needs, in a folder that is named as folders of tests are.
files="calc/ops.py and calc/spec/words.py"
implement() {
    put calc/spec/words.py <<END
"""How operations are called."""

SUM = "sum"
END
    swap calc/ops.py 'every public function is an operation."""' 'every public function is an operation."""

from calc.spec import words as _words'
    operation name_of_sum "_words.SUM" && test_of name_of_sum '"sum"'
    commit "Say how the sum is called"
}
