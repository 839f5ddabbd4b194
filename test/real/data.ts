import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const beside = fileURLToPath(new URL('../../../shared/data', import.meta.url))

/** The folder of recorded data of real accounts; undefined when it is not here, and then the tests of it do not run. */
export const data: string | undefined = process.env['TIDEMARK_DATA'] || (existsSync(beside) ? beside : undefined)

/** A suite over the recorded data; `folder` is where it is. Without the data it is skipped with one line that says why. */
export function describeReal(title: string, fn: (folder: string) => void): void {
  if (data !== undefined) {
    const folder = data
    describe(title, () => fn(folder))
    return
  }
  describe(title, () => it.skip('needs the recorded data: set TIDEMARK_DATA to its folder'))
}
