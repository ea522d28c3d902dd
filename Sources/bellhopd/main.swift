internal import BellhopStoreCommandLine

await BellhopdProgram.main()
