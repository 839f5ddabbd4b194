/**
 * Makes the data folder accessible only to its owner, also if it was created with wider rights: by an older version, by
 * hand, or by copying.
 */
import fs from 'node:fs'
import path from 'node:path'

/** Folders and (below) files with secrets; they may be missing. Other folders are restricted where they are used. */
const folders = ['outbox', 'exports']
const files = [
  'credentials.key',
  'demo.json',
  'run.json',
  'outbox/mails.jsonl',
  'nats/nats.conf',
  'nats/nats.secret',
  'nats/users.conf',
  'postgres/role.secret',
  'clickhouse/users.xml',
]

export interface FolderOptions {
  log: (line: string) => void
  /** PostgreSQL runs as another user, who may pass through the folder but not list it. */
  isPassed: boolean
}

/**
 * Creates the folder, or removes other users' access to it.
 * @throws Error naming the folder if it is not a folder or cannot be created
 */
export function makeFolder(dir: string, { log, isPassed }: FolderOptions): void {
  const own = isPassed ? 0o711 : 0o700
  try {
    fs.mkdirSync(dir, { recursive: true, mode: own })
  } catch (cause) {
    throw new Error(`${dir} cannot be used as the data folder (TIDEMARK_DATA_DIR): ${(cause as Error).message}`, {
      cause,
    })
  }
  close(dir, own, log)
  for (const name of folders) close(path.join(dir, name), 0o700, log)
  for (const name of files) close(path.join(dir, name), 0o600, log)
}

/** Removes the permissions beyond `most`. */
function close(file: string, most: number, log: FolderOptions['log']): void {
  const found = fs.statSync(file, { throwIfNoEntry: false })
  if (!found) return
  const before = found.mode & 0o777
  const after = before & most
  if (after === before) return
  try {
    fs.chmodSync(file, (found.mode & 0o7000) | after)
    log(
      `${file} was accessible to other users of this machine. Its mode was changed from ${octal(before)} to ${octal(after)}.`,
    )
  } catch {
    log(
      `${file} is accessible to other users of this machine (mode ${octal(before)}), and this process cannot change it.`,
    )
  }
}

const octal = (mode: number): string => mode.toString(8).padStart(4, '0')
