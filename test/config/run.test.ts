/** The entry of every command, in a checkout with nothing else in it. */
import { execFile } from 'node:child_process'
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { expect } from 'chai'
import { root } from '#config/process/root.ts'

const manifest = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')) as object

describe('what every command does first', () => {
  /** A checkout with nothing in it but the entry, and an npm that records what it is asked. */
  class Checkout {
    readonly folder = mkdtempSync(path.join(tmpdir(), 'tidemark-checkout-'))

    constructor(lock: object) {
      mkdirSync(this.at('config'))
      for (const file of ['run.mjs', 'lock.mjs']) copyFileSync(path.join(root, 'config', file), this.at('config', file))
      this.write(manifest, 'package.json')
      this.write(lock, 'package-lock.json')
    }

    at(...names: string[]): string {
      return path.join(this.folder, ...names)
    }

    write(value: unknown, ...names: string[]): void {
      writeFileSync(this.at(...names), typeof value === 'string' ? value : JSON.stringify(value))
    }

    /** Runs a task; what npm was asked, a line each. The task itself ends at once: there is nothing to run. */
    async run(task: string, npm: string): Promise<string[]> {
      const asked = this.at('asked')
      writeFileSync(asked, '')
      this.write(
        `import fs from 'node:fs'; fs.appendFileSync(${JSON.stringify(asked)}, process.argv[2] + '\\n'); ${npm}`,
        'npm-cli.js',
      )
      const env = { ...process.env, npm_execpath: this.at('npm-cli.js') }
      await promisify(execFile)(process.execPath, [this.at('config', 'run.mjs'), task], { env }).catch(() => {})
      return readFileSync(asked, 'utf8').trim().split('\n').filter(Boolean)
    }
  }

  const lock = { lockfileVersion: 3, packages: { '': {}, 'node_modules/koa': { version: '3.2.1' } } }
  const installing = "fs.mkdirSync('node_modules', { recursive: true })"
  let checkout: Checkout
  beforeEach(() => void (checkout = new Checkout(lock)))
  afterEach(() => rmSync(checkout.folder, { recursive: true }))

  it('takes what the lock names and nothing else, once for each lock', async () => {
    expect(await checkout.run('help', installing)).to.deep.equal(['ci'])
    expect(await checkout.run('help', installing)).to.deep.equal([])
    const newVersion = { ...lock.packages, '': { version: '9.9.9' } }
    checkout.write({ ...lock, packages: newVersion }, 'package-lock.json')
    expect(await checkout.run('help', installing)).to.deep.equal([])
    checkout.write(
      { ...lock, packages: { ...lock.packages, 'node_modules/pg': { version: '8.23.0' } } },
      'package-lock.json',
    )
    expect(await checkout.run('help', installing)).to.deep.equal(['ci'])
  })

  it('leaves what `npm ci` has installed by hand, unless it is something else', async () => {
    mkdirSync(checkout.at('node_modules'))
    checkout.write({ packages: { 'node_modules/koa': { version: '3.2.1' } } }, 'node_modules', '.package-lock.json')
    expect(await checkout.run('help', installing)).to.deep.equal([])
    checkout.write({ packages: { 'node_modules/koa': { version: '3.2.0' } } }, 'node_modules', '.package-lock.json')
    expect(await checkout.run('help', installing)).to.deep.equal(['ci'])
  })

  it('leaves a benchmark that has come to its end alone, and ends with its status', async () => {
    mkdirSync(checkout.at('bench'))
    checkout.write('setTimeout(() => (process.exitCode = 7), 10)', 'bench', 'short.ts')
    await checkout.run('help', installing)
    const [entry, env] = [checkout.at('config', 'run.mjs'), { ...process.env }]
    const ended = await promisify(execFile)(process.execPath, [entry, 'bench', 'short'], { env, timeout: 20_000 }).then(
      () => ({ code: 0 }),
      (error: { code: number; killed: boolean }) => error,
    )
    expect(ended).to.include({ code: 7, killed: false })
  })

  it('makes a lock of all platforms where the registry has one of them only, and asks again the next time', async () => {
    const native = { 'native-linux-x64-gnu': '1.0.0', 'native-darwin-arm64': '1.0.0' }
    const here = { version: '1.0.0', integrity: 'sha512-here', cpu: ['x64'], os: ['linux'], optional: true }
    const made = {
      lockfileVersion: 3,
      packages: {
        '': {},
        'node_modules/native': { version: '1.0.0', optionalDependencies: native },
        'node_modules/native-linux-x64-gnu': here,
      },
    }
    const given = checkout.at('given.json')
    const npm = `fs.copyFileSync('package-lock.json', ${JSON.stringify(given)}); fs.writeFileSync('package-lock.json', ${JSON.stringify(JSON.stringify(made))})`
    const locked = () => JSON.parse(readFileSync(checkout.at('package-lock.json'), 'utf8'))
    expect(await checkout.run('lock', npm)).to.deep.equal(['install'])
    expect(locked().packages).to.deep.equal({
      ...made.packages,
      'node_modules/native-darwin-arm64': { version: '1.0.0', cpu: ['arm64'], optional: true, os: ['darwin'] },
    })
    await checkout.run('lock', npm)
    expect(Object.keys(JSON.parse(readFileSync(given, 'utf8')).packages)).to.deep.equal([
      '',
      'node_modules/native-linux-x64-gnu',
    ])
    expect(Object.keys(locked().packages)).to.have.length(4)
  })
})
