from elmo_bench.cli import main

main()
