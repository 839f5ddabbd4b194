import { readFileSync } from 'node:fs'
import path from 'node:path'
import { expect } from 'chai'
import { freePort } from '#config/embedded/port.ts'
import { root } from '#config/root.ts'
import { chapters, describeShell, isAsShown, Shell, stepsOf } from '#test/harness/book.ts'
import { testFolder } from '#test/harness/stores.ts'
import { isDeep, sample } from '#test/harness/tier.ts'

describe('what a chapter shows', () => {
  it('is what was printed: … stands for a part of a line, and alone for any lines', () => {
    expect(isAsShown('a 1 b\nc\nd\ne\n', 'a … b\n…\ne\n')).to.equal(true)
    expect(isAsShown('a 1 b\ne\n', 'a … b\n…\ne\n')).to.equal(false)
    expect(isAsShown('a (1) b\n', 'a (1) b\n')).to.equal(true)
    expect(isAsShown('a 1 b\nc\n', 'a … b\n')).to.equal(false)
    expect(isAsShown('x a 1 b\n', 'a … b\n')).to.equal(false)
    expect(isAsShown('a 1\nb\n', 'a … b\n')).to.equal(false)
  })

  it('stands behind what is typed; other blocks are neither', () => {
    const text =
      'Do\n\n```sh\none\n```\n\n```text\n1\n```\n\n```json\n{}\n```\n\n```sh\ntwo\n```\n\nSo\n\n```text\n2\n```\n'
    expect(stepsOf(text)).to.deep.equal([
      { line: 3, typed: 'one\n', shown: '1\n' },
      { line: 15, typed: 'two\n', shown: undefined },
    ])
  })
})

describeShell('the book', function () {
  this.timeout(600_000)
  let shell: Shell
  /** The chapters' addresses and folder are those of a reader. */
  let here: (text: string) => string

  before(async () => {
    const folder = testFolder()
    const [port, metrics] = [await freePort(), await freePort()]
    here = (text) =>
      text
        .replaceAll('127.0.0.1:8080', `127.0.0.1:${port}`)
        .replaceAll('9465', String(metrics))
        .replaceAll('$PWD/book', `${folder}/book`)
    const { PATH, HOME } = process.env
    shell = new Shell({ PATH, HOME, PORT: String(port) }, folder)
  })
  after(() => shell.close())

  const all = chapters()
  // `npm test` follows the first chapter until the product runs and has done one command.
  for (const { name, steps } of sample(all, 1)) {
    it(`does what it says, step by step: ${name}`, async () => {
      for (const { line, typed, shown } of steps.slice(0, isDeep ? undefined : 3)) {
        const printed = await shell.run(here(typed))
        if (shown !== undefined && !isAsShown(printed, here(shown)))
          expect.fail(`line ${line} printed:\n${printed}\nand not:\n${here(shown)}`)
      }
    })
  }

  it('has numbered chapters, each of which the first page and the one before lead to', () => {
    const read = (name: string) => readFileSync(path.join(root, 'docs/book', name), 'utf8')
    const first = read('README.md')
    expect(all.length).to.be.at.least(8)
    for (const [n, { name }] of all.entries()) {
      expect(name).to.match(new RegExp(`^0${n + 1}-`))
      expect(read(name)).to.match(new RegExp(`^# ${n + 1}\\. `))
      expect(first).to.contain(`(${name})`)
      if (n > 0) expect(read(all[n - 1]!.name)).to.contain(`(${name})`)
    }
  })
})
