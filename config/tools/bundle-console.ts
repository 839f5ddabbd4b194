/** Bundles the console into the cache folder, where each start finds it: for images, whose processes may not write there. */
import { consoleFiles } from '#config/process/console-files.ts'

await consoleFiles()
