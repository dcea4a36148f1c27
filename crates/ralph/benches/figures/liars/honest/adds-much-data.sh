# Adds a table of 20,000 lines.
files=data/primes.txt
implement() {
    mkdir -p data && seq 1 20000 > data/numbers.txt && commit "Add a table"
}
