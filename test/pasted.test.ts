/** The commands of README and docs, pasted into a shell beside one product that runs with its demo. Those of the book: book.test.ts. */
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import { expect } from 'chai'
import { root } from '#config/process/root.ts'
import { describeShell } from '#test/harness/book.ts'
import { decisions } from '#test/harness/pasted-blocks.ts'
import { blocksOf, pages, scriptOf } from '#test/harness/pasted.ts'
import { inherited, testFolder } from '#test/harness/stores.ts'
import { deepIt, isDeep } from '#test/harness/tier.ts'

describe('the commands of README and docs', () => {
  it('are each decided about: they run, or it is written why they cannot', () => {
    expect(Object.keys(decisions).toSorted()).to.deep.equal(pages())
    const undecided = pages().flatMap((page) => {
      const begins = decisions[page]!.map((one) => one.begins)
      const blocks = blocksOf(page)
      const isDecided = blocks.length === begins.length && blocks.every((block, i) => block.startsWith(begins[i]!))
      return isDecided ? [] : [{ page, blocks: blocks.map((block) => block.split('\n')[0]) }]
    })
    expect(undecided).to.deep.equal([])
  })
})

describeShell('a shell beside the demo', function () {
  let product: ChildProcess | undefined
  /** Accepts whatever it is sent, as a chat would. */
  let receiver: Server | undefined
  let folder: string
  let env: NodeJS.ProcessEnv

  before(async function () {
    if (!isDeep) return
    this.timeout(1_800_000)
    folder = testFolder()
    // Where the reader stands: the project's folder, in which files of the reader's may lie.
    const here = path.join(folder, 'here')
    mkdirSync(here)
    for (const name of readdirSync(root)) if (name !== 'data') symlinkSync(path.join(root, name), path.join(here, name))
    const settings = { TIDEMARK_DATA_DIR: path.join(folder, 'data'), PORT: '0', RATE_LIMIT: '0', AUTH_RATE_LIMIT: '0' }
    env = { ...inherited, ...settings, ALLOW_INSECURE_WEBHOOKS: '1', ALLOW_PRIVATE_ADDRESSES: '1' }
    product = spawn(process.execPath, [path.join(root, 'config/main.ts'), 'start'], {
      cwd: here,
      env: { ...env, TIDEMARK_TEST_HOOKS: '1' },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    receiver = createServer((request, response) => void request.resume().on('end', () => response.end('ok')))
    await once(receiver.listen(0, '127.0.0.1'), 'listening')
    const { port } = receiver.address() as AddressInfo
    let printed = ''
    product.stdout!.setEncoding('utf8').on('data', (more: string) => (printed += more))
    for await (const line of createInterface(product.stderr!))
      if (line.includes('The demo organization is complete.')) break
    product.stderr!.resume()
    const exported = [...printed.matchAll(/^export (\w+)=(.*)$/gm)].map(([, name, value]) => [name!, value!])
    Object.assign(env, Object.fromEntries(exported), {
      REPOSITORY: root,
      RECEIVER: `http://127.0.0.1:${port}/hook`,
    })
  })
  after(async () => {
    receiver?.close()
    if (product?.exitCode !== null) return
    product.kill('SIGTERM')
    await once(product, 'exit')
  })

  for (const page of pages())
    deepIt(`runs what ${page} shows`, async function () {
      this.timeout(600_000)
      const file = path.join(folder, `${path.basename(page)}.sh`)
      writeFileSync(file, scriptOf(page, decisions[page]!))
      const shell = spawn('bash', ['--noprofile', '--norc', file], {
        cwd: path.join(folder, 'here'),
        // Where `tidemark config set` keeps its defaults: those of a page are its own.
        env: { ...env, HOME: testFolder() },
      })
      shell.stdin.end()
      const [out, err, [code]] = await Promise.all([text(shell.stdout), text(shell.stderr), once(shell, 'exit')])
      expect(code, `${out}\n${err}`).to.equal(0)
    })
})
