/** Exports as files of one folder, each under its id: where they are, and how they go. */
import { readdir, rm, stat } from 'node:fs/promises'
import path from 'node:path'
import { isUuid } from '#engine/id.ts'

/** What the edge keeps exports with. */
export interface Exports {
  readonly folder: string
  /** What links are signed with, 32 bytes each: the first signs, those before it are good as long as links are. */
  readonly secrets: () => readonly Buffer[]
  /** Rows of one file. */
  readonly rowsMax: number
}

/** How long a file is kept. */
export const keptMs = 24 * 3_600_000

export const pathOf = ({ folder }: Pick<Exports, 'folder'>, id: string): string => path.join(folder, id)

/** Removes the files that are older than a day, those included that nothing knows of any more. How many. */
export async function sweep(folder: string, now: Date): Promise<number> {
  const names = await readdir(folder).catch(() => [])
  let removed = 0
  for (const name of names.filter((one) => isUuid(one.replace(/\.part$/, '')))) {
    const file = path.join(folder, name)
    const found = await stat(file).catch(() => undefined)
    if (!found || now.getTime() - found.mtimeMs < keptMs) continue
    await rm(file, { force: true })
    removed++
  }
  return removed
}
