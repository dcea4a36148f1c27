# Adds two numbers.
calc_add() {
    echo $(($1 + $2))
}
