/** A disk whose power can be cut: ext4 on a loop device, of which a copy is taken as it stands. Needs root and loop devices. */
import { execFileSync } from 'node:child_process'
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

const bytes = 2 * 1024 ** 3

const run = (file: string, ...args: string[]): void =>
  void execFileSync(file, args, { stdio: ['ignore', 'ignore', 'pipe'], encoding: 'utf8' })

/** Why no such disk can be had on this machine; undefined when one can. */
export async function unable(): Promise<string | undefined> {
  if (process.platform !== 'linux') return 'loop devices are a matter of Linux'
  if (process.getuid?.() !== 0) return 'mounting needs root'
  try {
    const disk = new LoopDisk()
    await disk.remove()
    return undefined
  } catch (error) {
    return `no ext4 image can be mounted: ${String((error as Error).message)
      .trim()
      .split('\n')
      .at(-1)}`
  }
}

export class LoopDisk {
  /** Where it is mounted. */
  readonly folder: string
  private readonly home: string
  private readonly image: string

  /** @throws Error when an image cannot be made or mounted */
  constructor() {
    this.home = mkdtempSync(path.join(tmpdir(), 'tidemark-power-'))
    this.folder = path.join(this.home, 'mount')
    this.image = path.join(this.home, 'disk.img')
    mkdirSync(this.folder)
    try {
      writeFileSync(this.image, '')
      truncateSync(this.image, bytes)
      run('mkfs.ext4', '-q', '-F', this.image)
      run('mount', '-o', 'loop', this.image, this.folder)
    } catch (error) {
      rmSync(this.home, { recursive: true, force: true })
      throw error
    }
  }

  /**
   * The power goes: the processes are stopped, what has reached the disk by now is copied, and they go on, writing to a disk
   * that no longer counts. Nothing of this process runs meanwhile, so no acknowledgement is taken after it.
   */
  cut(pids: readonly number[]): void {
    signal(pids, 'SIGSTOP')
    try {
      run('cp', '--sparse=always', this.image, `${this.image}.cut`)
    } finally {
      signal(pids, 'SIGCONT')
    }
  }

  /** Puts the copy in the place of the disk. Nothing may be open on it any more. */
  async replace(): Promise<void> {
    await this.unmount()
    renameSync(`${this.image}.cut`, this.image)
    run('mount', '-o', 'loop', this.image, this.folder)
  }

  async remove(): Promise<void> {
    await this.unmount()
    rmSync(this.home, { recursive: true, force: true })
  }

  /** A process that has just ended may hold a file open for a moment still. */
  private async unmount(): Promise<void> {
    for (let tries = 1; ; tries++) {
      try {
        return run('umount', this.folder)
      } catch (error) {
        if (tries === 50) throw error
        await sleep(100)
      }
    }
  }
}

function signal(pids: readonly number[], name: NodeJS.Signals): void {
  for (const pid of pids) {
    try {
      process.kill(pid, name)
    } catch {
      // It has ended between the look and the signal.
    }
  }
}

/** A process and all it has started. */
export function family(pid: number): number[] {
  const children = new Map<number, number[]>()
  for (const name of readdirSync('/proc').filter((entry) => /^\d+$/.test(entry))) {
    const parent = parentOf(name)
    children.set(parent, [...(children.get(parent) ?? []), Number(name)])
  }
  const all = [pid]
  for (const one of all) all.push(...(children.get(one) ?? []))
  return all
}

function parentOf(pid: string): number {
  try {
    return Number(/^PPid:\s*(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0)
  } catch {
    return 0
  }
}
