internal import BellhopCommandLine

BellhopProgram.main()
