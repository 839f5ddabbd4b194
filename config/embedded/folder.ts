/** The data folder is for its owner's eyes alone, also one that was made otherwise: by an older version, by hand, or by a copy. */
import fs from 'node:fs'
import path from 'node:path'

/** What holds secrets, where it is there. Other folders close themselves when they are used. */
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
  /** PostgreSQL runs as another user, who must pass through: it may enter, but not look around. */
  isPassed: boolean
}

/** Makes the folder, or closes it to other users of the machine. @throws Error naming the folder when it is none, or may not be made */
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

/** Takes away what is more than `most`. */
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
