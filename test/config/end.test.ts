import { spawn } from 'node:child_process'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect } from 'chai'
import { lastEnd, noteKilled } from '#config/process/end.ts'
import { patiently } from '#config/process/wait-for-stores.ts'
import { root } from '#config/process/root.ts'
import { testFolder } from '#test/harness/stores.ts'

const module = pathToFileURL(path.join(root, 'config/process/end.ts')).href

/** Runs a process that watches over its end, and then `body`. */
async function watched(dir: string, body: string): Promise<{ code: number | null; stderr: string }> {
  const script = `import { watchEnd } from '${module}'; const mayEnd = watchEnd(${JSON.stringify(dir)}); ${body}`
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], { stdio: ['ignore', 'ignore', 'pipe'] })
  let stderr = ''
  child.stderr.on('data', (text: Buffer) => (stderr += text.toString()))
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve))
  return { code, stderr }
}

describe('the end of a process', () => {
  const unasked = {
    'an error nobody caught': ['setTimeout(() => { throw new Error("boom") })', /Error: boom\n\s+at /, 'Error: boom'],
    'a promise nobody waited for': ['Promise.reject(new Error("left"))', /Error: left\n\s+at /, 'Error: left'],
    'something that is no error': ['setTimeout(() => { throw "text" })', /: text\n$/, 'text'],
    'an exit in some corner': ['process.exit(3)', /code 3\n$/, 'the process exited on its own with code 3'],
    'nothing left to do': ['', /code 0\n$/, 'the process exited on its own with code 0'],
  } as const
  for (const [name, [body, said, why]] of Object.entries(unasked)) {
    it(`by ${name} is told at last on stderr, and stays in the data folder`, async () => {
      const dir = testFolder()
      const { code, stderr } = await watched(dir, body)
      expect(stderr).to.match(/^tidemark exited unexpectedly: /)
      expect(stderr).to.match(said)
      expect(code).to.equal(name.startsWith('an exit') ? 3 : name.startsWith('nothing') ? 0 : 1)
      expect(lastEnd(dir)).to.include({ why })
    })
  }

  it('that was asked for is told nowhere', async () => {
    const dir = testFolder()
    expect(await watched(dir, 'mayEnd()')).to.deep.equal({ code: 0, stderr: '' })
    expect(lastEnd(dir)).to.equal(undefined)
  })

  it('of a killed process is noted by the next start, unless it could tell of itself', async () => {
    const dir = testFolder()
    noteKilled(dir, 1234)
    expect(lastEnd(dir)).to.include({ pid: 1234, why: 'killed, or the machine went down; detected at this start' })
    await watched(dir, 'throw new Error("boom")')
    noteKilled(dir, lastEnd(dir)!.pid)
    expect(lastEnd(dir)).to.include({ why: 'Error: boom' })
  })
})

describe('a start', () => {
  const warnings: unknown[] = []
  const report = {
    info: () => {},
    warn: (about: object, text: string) => warnings.push([about, text]),
    error: () => {},
  }
  const away = () => Object.assign(new Error('connect ECONNREFUSED 127.0.0.1:1'), { code: 'ECONNREFUSED' })

  it('waits for a store that is away, says so once, and goes on when it is there', async () => {
    let tries = 0
    const work = async () => {
      if (++tries < 3) throw away()
      return 'there'
    }
    expect(await patiently(work, report, 10_000)).to.equal('there')
    expect(warnings).to.deep.equal([
      [{ why: 'connect ECONNREFUSED 127.0.0.1:1' }, 'a store is unavailable; retrying for 10 s'],
    ])
  })

  it('gives up when the store does not come back in time, and at once for whatever else is wrong', async () => {
    const failures: unknown[] = []
    let tries = 0
    const counted = (error: Error) => async () => {
      tries++
      throw error
    }
    await patiently(counted(away()), report, 0).catch((error: unknown) => failures.push(error))
    await patiently(counted(new Error('password wrong')), report, 10_000).catch((error: unknown) =>
      failures.push(error),
    )
    expect(failures.map((error) => (error as Error).message)).to.deep.equal([
      'connect ECONNREFUSED 127.0.0.1:1',
      'password wrong',
    ])
    expect(tries).to.equal(2)
  })
})
