import { execFile } from 'node:child_process'
import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect } from 'chai'
import { root } from '#config/process/root.ts'
import { testFolder } from '#test/harness/stores.ts'

interface Found {
  code: string
  filename: string
}

/** What reaches beyond the process, or runs text as code, a line each. */
const outward: Readonly<Record<string, string>> = {
  'a call': `export const a = () => fetch('https://example.com')`,
  'a socket of the web': `export const b = new WebSocket('wss://example.com')`,
  'a request': `import { request } from 'node:https'\nexport const c = request`,
  'a request in plain': `import { request } from 'node:http'\nexport const d = request`,
  'a kept connection': `import { Agent } from 'node:http'\nexport const m = Agent`,
  'a connection': `import { connect } from 'node:net'\nexport const e = connect`,
  'a name': `import { resolve4 } from 'node:dns/promises'\nexport const f = resolve4`,
}
const starting: Readonly<Record<string, string>> = {
  'a program': `import { spawn } from 'node:child_process'\nexport const g = spawn`,
  'a program by the old name': `import { spawn } from 'child_process'\nexport const h = spawn`,
  'a thread': `import { Worker } from 'node:worker_threads'\nexport const i = Worker`,
  'another context': `import { runInNewContext } from 'node:vm'\nexport const j = runInNewContext`,
}
const running: Readonly<Record<string, string>> = {
  'text as code': `export const k = (text: string): unknown => eval(text)`,
  'text as a function': `export const l = (text: string): unknown => new Function(text)`,
}
const all = { ...outward, ...starting, ...running }

describe('the lint', () => {
  /** Which of `all` it refuses in a folder of sources. */
  async function refused(room: string): Promise<string[]> {
    const folder = testFolder()
    copyFileSync(path.join(root, '.oxlintrc.json'), path.join(folder, '.oxlintrc.json'))
    mkdirSync(path.join(folder, room), { recursive: true })
    const names = Object.keys(all)
    for (const [n, name] of names.entries())
      writeFileSync(path.join(folder, room, `file-${n}.ts`), `${all[name as keyof typeof all]}\n`)
    const lint = path.join(root, 'node_modules/oxlint/bin/oxlint')
    const text = await new Promise<string>((resolve) => {
      execFile(process.execPath, [lint, '-f', 'json', '.'], { cwd: folder }, (_, stdout) => resolve(stdout))
    })
    const found = (JSON.parse(text) as { diagnostics: Found[] }).diagnostics
    return names.filter((_, n) => found.some(({ filename }) => filename.endsWith(`file-${n}.ts`)))
  }

  for (const room of [
    'engine',
    'streams/billing',
    'streams/notification',
    'analytics/cost',
    'actors/account',
    'actors/notification',
    'http/edge',
    'http/identity',
    'http/notification',
  ])
    it(`keeps ${room} from calling out, starting programs and running text`, async () => {
      expect(await refused(room)).to.deep.equal(Object.keys(all))
    })

  it('lets streams/delivery call out, and nothing else', async () => {
    expect(await refused('streams/delivery')).to.deep.equal(Object.keys({ ...starting, ...running }))
  })

  it('lets config call out and start programs, and nobody run text as code', async () => {
    expect(await refused('config')).to.deep.equal(Object.keys(running))
  })
})
