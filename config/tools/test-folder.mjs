// Creates the folders of a test run and removes them afterwards. Runs on a plain Node 20, so it imports only `node:`
// modules.
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'

/** A file system in memory, on Linux: the stores sync every commit, and need not wait for a disk there. */
const MEMORY = '/dev/shm'
/** Bytes of free space below which memory is not used. */
const ROOM_MIN = 4 * 2 ** 30
const PREFIX = 'tidemark-run-'

/** Whether a folder in memory has enough free space. */
export function hasRoom(folder) {
  const { bavail, bsize } = fs.statfsSync(folder)
  return bavail * bsize >= ROOM_MIN
}

/** @param isChosen whether TMPDIR sets the folder for temporary files; then memory is not used */
export const placesOf = (isChosen) => ({ temporary: os.tmpdir(), memory: isChosen ? undefined : MEMORY })

/**
 * Creates the folders of a run, and removes those of killed runs.
 * @param places the folder for temporary files, and one in memory if there is any
 * @returns `env` passes the folders to test processes: TMPDIR on disk and, if there is space, TEST_MEMORY_DIR. `remove`
 * deletes them
 */
export function makeRunFolders({ temporary, memory }) {
  const inMemory = memory !== undefined && fs.existsSync(memory) && hasRoom(memory) ? memory : undefined
  const used = [temporary, inMemory].filter((place) => place !== undefined)
  used.forEach(removeAbandoned)
  const folders = used.map((place) => {
    const folder = fs.mkdtempSync(path.join(place, `${PREFIX}${process.pid}-`))
    // PostgreSQL may run as another user, who passes through the folder.
    fs.chmodSync(folder, 0o711)
    return folder
  })
  const env = { TMPDIR: folders[0], ...(inMemory === undefined ? {} : { TEST_MEMORY_DIR: folders[1] }) }
  return { env, remove: () => folders.forEach(remove) }
}

/** Servers of a stopped process may still write for a moment, so deletion is retried. */
const remove = (folder) => fs.rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 })

/** The folder names contain the id of the process they belong to. */
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
