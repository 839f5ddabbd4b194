import { readFileSync } from 'node:fs'
import path from 'node:path'
import { expect } from 'chai'
import { commands } from '#config/command/index.ts'
import { freePort } from '#config/embedded/port.ts'
import { root } from '#config/process/root.ts'
import { routes } from '#http/index.ts'
import { chapters, describeShell, isAsShown, Shell, stepsOf } from '#test/harness/book.ts'
import { testFolder } from '#test/harness/stores.ts'
import { deepIt } from '#test/harness/tier.ts'

/** Whether a route answers at an address, where `$NAME` stands for any part. */
const isAt = (route: string, address: string): boolean => {
  const [own, asked] = [route.split('/'), address.split('/')]
  return own.length === asked.length && own.every((part, at) => part.startsWith(':') || part === asked[at])
}

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

const all = chapters()

// Its commands take minutes: `npm test` only reads them, further down.
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

  for (const { name, steps } of all) {
    deepIt(`does what it says, step by step: ${name}`, async () => {
      for (const { line, typed, shown } of steps) {
        const printed = await shell.run(here(typed))
        if (shown !== undefined && !isAsShown(printed, here(shown)))
          expect.fail(`line ${line} printed:\n${printed}\nand not:\n${here(shown)}`)
      }
    })
  }
})

describeShell('the chapter on adding a cloud', function () {
  this.timeout(180_000)

  // It needs no product, so its imports and its output are checked in each `npm test`.
  it('has a connector that runs on the sources as they are', async () => {
    const folder = testFolder()
    const { PATH, HOME } = process.env
    const shell = new Shell({ PATH, HOME, TIDEMARK_DATA_DIR: folder }, folder)
    const { steps } = all.find(({ name }) => name === '08-adding-a-cloud.md')!
    const shown: boolean[] = []
    try {
      for (const step of steps) {
        const printed = await shell.run(step.typed)
        if (step.shown !== undefined) shown.push(isAsShown(printed, step.shown))
      }
    } finally {
      await shell.close()
    }
    expect(shown).to.deep.equal([true])
  })
})

describe('the text of the book', () => {
  const steps = all.flatMap(({ name, steps }) => steps.map(({ line, typed }) => ({ at: `${name}:${line}`, typed })))

  it('types commands that there are, with options that they have', () => {
    let count = 0
    const wrong = steps.flatMap(({ at, typed }) =>
      [...typed.matchAll(/(?<![\w-])tidemark ([a-z][a-z-]*)(?: ([a-z-]+))?([^\n|)]*)/g)].flatMap(
        ([text, first, second, rest]) => {
          count++
          const command =
            commands.find(({ name }) => name === `${first} ${second}`) ?? commands.find(({ name }) => name === first)
          const options = Array.from(` ${rest}`.matchAll(/ --([a-z-]+)/g), ([, name]) => name!)
          const isKnown = command && options.every((name) => name === 'json' || name in command.options)
          return isKnown ? [] : [`${at} ${text}`]
        },
      ),
    )
    expect(wrong).to.deep.equal([])
    expect(count).to.be.at.least(25)
  })

  it('asks for addresses that there are', () => {
    let count = 0
    const wrong = steps.flatMap(({ at, typed }) =>
      [...typed.matchAll(/(?:\b(get|post) ["']?|\$URL)(\/[\w$/-]+)[^\n]*/g)].flatMap(([text, how, address]) => {
        count++
        const isChange = how === 'post' || / -d /.test(text)
        const method = /(GET|PATCH|PUT|DELETE)\s*$/.exec(text)?.[1] ?? (isChange ? 'POST' : 'GET')
        return routes.some((route) => route.method === method && isAt(route.path, address!))
          ? []
          : [`${at} ${method} ${address}`]
      }),
    )
    expect(wrong).to.deep.equal([])
    expect(count).to.be.at.least(15)
  })

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
