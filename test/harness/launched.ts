/** Commands as processes of their own on a data folder without the demo, as an operator types them. */
import { spawn, type ChildProcess } from 'node:child_process'
import path from 'node:path'
import { root } from '#config/process/root.ts'
import { inherited } from '#test/harness/stores.ts'

/** The environment of a command on the folder; an edge that it starts takes any free port. */
export const onFolder = (folder: string, env: Readonly<Record<string, string>> = {}) => ({
  ...inherited,
  TIDEMARK_DATA_DIR: folder,
  TIDEMARK_DEMO: '0',
  PORT: '0',
  ...env,
})

/** Starts a command on the folder. What it says is there to be read. */
export const launch = (folder: string, env: Readonly<Record<string, string>>, ...args: string[]): ChildProcess => {
  const child = spawn(process.execPath, [path.join(root, 'config/main.ts'), ...args], {
    cwd: folder,
    env: onFolder(folder, env),
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  // Read or not, it must not fill up.
  child.stderr!.resume()
  return child
}
