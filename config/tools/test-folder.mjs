// Where a run of tests keeps its files, and how it leaves none behind. Runs on a bare Node 20, so only `node:` imports stand here.
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'

/** A file system in memory, on Linux: the stores sync each commit, and do not wait for a disk there. */
const MEMORY = '/dev/shm'
/** Free space below which nothing more is put there, in bytes. */
const ROOM_MIN = 4 * 2 ** 30
const PREFIX = 'tidemark-run-'

/** Whether a folder in memory has room for more. */
export function hasRoom(folder) {
  const { bavail, bsize } = fs.statfsSync(folder)
  return bavail * bsize >= ROOM_MIN
}

/** @param isChosen whether TMPDIR chooses the folder for temporary files: then nothing is put in memory */
export const placesOf = (isChosen) => ({ temporary: os.tmpdir(), memory: isChosen ? undefined : MEMORY })

/**
 * Makes the folders of a run, and removes those of runs that were killed.
 * @param places the folder for temporary files, and one in memory, if any
 * @returns `env` names them to test processes: TMPDIR on the disk and, where there is room, TEST_MEMORY_DIR. `remove` ends them
 */
export function makeRunFolders({ temporary, memory }) {
  const inMemory = memory !== undefined && fs.existsSync(memory) && hasRoom(memory) ? memory : undefined
  const used = [temporary, inMemory].filter((place) => place !== undefined)
  used.forEach(removeAbandoned)
  const folders = used.map((place) => {
    const folder = fs.mkdtempSync(path.join(place, `${PREFIX}${process.pid}-`))
    // PostgreSQL may run as another user, who passes through.
    fs.chmodSync(folder, 0o711)
    return folder
  })
  const env = { TMPDIR: folders[0], ...(inMemory === undefined ? {} : { TEST_MEMORY_DIR: folders[1] }) }
  return { env, remove: () => folders.forEach(remove) }
}

/** Servers of a process that was stopped may still write for a moment. */
const remove = (folder) => fs.rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 })

/** Their names say of which process they are. */
function removeAbandoned(place) {
  for (const name of fs.readdirSync(place)) {
    const pid = /^tidemark-run-(\d+)-/.exec(name)?.[1]
    if (pid !== undefined && !isAlive(Number(pid))) remove(path.join(place, name))
  }
}

function isAlive(pid) {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return error.code !== 'ESRCH'
  }
}
