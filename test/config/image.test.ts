import { exec } from 'node:child_process'
import { copyFileSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { expect } from 'chai'
import { load, loadAll } from 'js-yaml'
import { root } from '#config/process/root.ts'
import { readSettings, settings } from '#config/settings/settings.ts'
import { exported } from '#test/harness/exported.ts'
import { deepIt } from '#test/harness/tier.ts'

const at = (...names: string[]) => path.join(root, ...names)
const read = (...names: string[]) => readFileSync(at(...names), 'utf8')
const known = new Set(Object.values(settings).map(({ name }) => name))
const [shared] = loadAll(read('config/deploy/settings.yaml')) as any[]
const lanes = Number(shared.data.TIDEMARK_LANES)

/** An image by its version and, for a tag can be moved, by its digest. */
const pinned = /^[a-z0-9./-]+:v?\d+(\.\d+)+[a-z0-9.-]*@sha256:[0-9a-f]{64}$/

describe('the image', () => {
  const dockerfile = read('Dockerfile')
  const all = (pattern: RegExp) => [...dockerfile.matchAll(pattern)].map(([, found]) => found!)

  it('is built from one pinned Node that runs the sources, holds no embedded store, and runs as nobody in particular', () => {
    const [first, second] = all(/^FROM (\S+)/gm)
    expect(first).to.match(pinned).and.equal(second)
    expect(Number(/node:(\d+)/.exec(first!)![1])).to.be.at.least(24)
    expect(all(/^USER (\d+):/gm).map(Number)).to.deep.equal([1000])
  })

  deepIt(
    'installs what the lock names without what only development and the embedded stores need, but the native half of argon2',
    async function () {
      this.timeout(180_000)
      const [command, listing] = all(/^RUN (npm .*)$/gm)
      expect(listing).to.equal(
        'npm pkg delete devDependencies && npm sbom --sbom-format=cyclonedx > sbom.cdx.json && \\',
      )
      expect(command)
        .to.match(/\bnpm ci\b/)
        .and.not.match(/npm (install|i)\b/)
      const folder = mkdtempSync(path.join(tmpdir(), 'tidemark-image-'))
      try {
        for (const file of ['package.json', 'package-lock.json']) copyFileSync(at(file), path.join(folder, file))
        const { stdout } = await promisify(exec)(`${command} --dry-run --loglevel=error`, { cwd: folder })
        const added = [...stdout.matchAll(/^add (\S+) \S+$/gm)].map(([, name]) => name!)
        const { dependencies, optionalDependencies } = JSON.parse(read('package.json'))
        expect(added).to.include.members(Object.keys(dependencies))
        expect(added).to.not.include.oneOf(['mocha', 'typescript', ...Object.keys(optionalDependencies)])
        expect(added.filter((name) => name.startsWith('@chdb/') || name.startsWith('@embedded-'))).to.deep.equal([])
        expect(added.filter((name) => name.startsWith('@node-rs/argon2-'))).to.have.length(1)
      } finally {
        rmSync(folder, { recursive: true })
      }
    },
  )

  it('holds every folder the product imports, and lets nothing else in', () => {
    const layers = ['engine', 'streams', 'analytics', 'actors', 'http', 'config']
    expect(all(/^COPY (\w+) \1$/gm)).to.deep.equal(layers)
    const [first, ...rest] = read('.dockerignore').trim().split('\n')
    expect(first).to.equal('*')
    expect(rest).to.have.members([
      '!package.json',
      '!package-lock.json',
      '!SECURITY.md',
      '!LICENSE',
      '!NOTICE',
      ...layers.map((l) => `!${l}`),
      'config/deploy',
    ])
  })

  it('sets settings that exist, with the ports it exposes', () => {
    const [, block] = /^ENV ((?:.*\\\n)*.*)$/m.exec(dockerfile)!
    const pairs = [...block!.matchAll(/(\w+)=(\S+)/g)].map(([, name, value]) => [name!, value!] as const)
    const ofNode = ['NODE_ENV', 'UV_THREADPOOL_SIZE']
    expect(pairs.map(([name]) => name).filter((name) => !known.has(name))).to.deep.equal(ofNode)
    const { port, analystsPort, metricsPort, host, metricsHost, demo } = readSettings(Object.fromEntries(pairs))
    expect(all(/^EXPOSE (.*)$/gm)).to.deep.equal([`${port} ${analystsPort} ${metricsPort}`])
    expect({ host, metricsHost, demo }).to.deep.equal({ host: '0.0.0.0', metricsHost: '0.0.0.0', demo: false })
    expect(existsSync(at('config/main.ts'))).to.equal(true)
  })
})

describe('what is watched', () => {
  const guide = read('docs/monitor.md')
  const alerts = (load(read('config/deploy/prometheus-rules.yaml')) as any).groups.flatMap((g: any) => g.rules) as any[]
  const metrics = [...exported.keys()]

  it('is every metric, with what a bad value means', () => {
    const [, block] = /<!-- metrics -->\n([^]*?)\n<!-- \/metrics -->/.exec(guide)!
    expect([...block!.matchAll(/^\| `(tidemark_\w+)`/gm)].map(([, name]) => name)).to.have.members(metrics)
  })

  it('raises alerts over metrics that exist, each with its words and a line in the guide', () => {
    expect(alerts.length).to.be.at.least(10)
    for (const { alert, expr, labels, annotations } of alerts) {
      const used = [...expr.matchAll(/\btidemark_\w+/g)].map(([name]) => name.replace(/_(bucket|sum|count)$/, ''))
      expect(
        used.filter((name) => !metrics.includes(name)),
        alert,
      ).to.deep.equal([])
      expect(['warning', 'critical']).to.include(labels.severity)
      expect(annotations, alert).to.have.all.keys('summary', 'description')
      expect(guide, alert).to.include(`\`${alert}\``)
      expect(expr.split('(').length, alert).to.equal(expr.split(')').length)
    }
    expect(alerts.find(({ alert }) => alert === 'TidemarkLanesNotRun').expr).to.match(new RegExp(`< ${lanes}$`))
  })
})
