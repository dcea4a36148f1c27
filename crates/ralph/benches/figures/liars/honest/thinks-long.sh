# Is silent for a while, computing.
implement() {
    python3 -c 'import time
end = time.process_time() + 3
while time.process_time() < end: pass'
    operation mul "a * b" && test_of mul 35 && commit "Add multiplication"
}
