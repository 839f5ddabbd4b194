import { existsSync, readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { expect } from 'chai'
import { decoder } from '#engine/value/schema.ts'
import { routes, site } from '#http/index.ts'
import { ingestSubjects } from '#streams/index.ts'
import { commands } from '#config/command/index.ts'
import { commandReference } from '#config/command/line/reference.ts'
import { root } from '#config/process/root.ts'
import { settings } from '#config/settings/settings.ts'
import { diagrams } from '#test/harness/machines.ts'
import { noEdge } from '#test/harness/site.ts'

const read = (file: string) => readFileSync(path.join(root, file), 'utf8')
const isThere = (file: string) => existsSync(path.join(root, file))

const text = read('docs/streams.md')

/** The envelopes of the `nats pub` lines, with the shell's variables filled in. */
const published = [...text.matchAll(/^nats -s \$NATS pub (ingest\.\S+) '(.*)'$/gm)].map(([, subject, body]) => ({
  subject,
  envelope: JSON.parse(body!.replaceAll(`'$ORG'`, 'org-1')) as {
    id: string
    type: string
    orgId: string
    data: unknown
  },
}))

describe('the producers’ documentation', () => {
  it('has one line for each kind of message', () => {
    expect(published.map(({ envelope }) => envelope.type).sort()).to.deep.equal(
      ingestSubjects.map(({ name }) => name).sort(),
    )
  })

  for (const { subject, envelope } of published) {
    it(`shows a ${envelope.type} that decodes, under its own subject`, () => {
      const declared = ingestSubjects.find(({ name }) => name === envelope.type)!
      expect(() => decoder(declared.schema)(envelope.data)).not.to.throw()
      expect(subject).to.equal(`ingest.${declared.kind}.$ORG.$ACCOUNT`)
    })
  }

  for (const subject of ingestSubjects) {
    it(`${subject.name} decodes its own examples`, () => {
      expect(subject.examples.length).to.be.at.least(1)
      for (const example of subject.examples) expect(() => decoder(subject.schema)(example)).not.to.throw()
    })
  }
})

describe('the document of security', () => {
  const rows = [...read('docs/security.md').matchAll(/^\| (\d+\.\d+\.\d+[^|]*) \| (\w+) \| ([^|]*) \|([^|]*)\|$/gm)]

  it('has each requirement of OWASP ASVS once, each that holds with tests, all of which there are', () => {
    const numbers = rows.flatMap(([, named]) => named!.match(/\d+\.\d+\.\d+/g)!)
    expect(numbers.length).to.be.above(200)
    expect(numbers.filter((number, i) => numbers.indexOf(number) !== i)).to.deep.equal([])
    for (const [, named, state, how, shown] of rows) {
      expect(['yes', 'partly', 'no', 'none', 'operator'], named).to.include(state)
      expect(how!.trim(), named).to.not.equal('')
      const tests = [...shown!.matchAll(/`([^`]+)`/g)].map(([, file]) => file!)
      if (state === 'yes') expect(tests, named).to.not.deep.equal([])
      for (const file of tests) expect(isThere(file), `${named}: ${file}`).to.equal(true)
    }
  })
})

describe('the document of the walls between organizations', () => {
  const [, ...tables] = read('docs/tenancy.md').split('| wall |')
  const walls = tables.map((table) => [...table.matchAll(/^\| (\d+)\. ([^|]*) \| [^|]* \| ([^|]*) \| ([^|]*) \|$/gm)])
  const filesIn = (cell: string) => [...cell.matchAll(/`([^`]+)`/g)].map(([, file]) => file!)

  it('has them in order, each with the code that builds it and a test that tries it [GEN-10]', () => {
    expect(walls.map((rows) => rows.length)).to.deep.equal([7, 6, 7, 8])
    for (const rows of walls)
      for (const [at, [, number, name, code, tests]] of rows.entries()) {
        expect(Number(number), name).to.equal(at + 1)
        expect(filesIn(code!), name).to.not.deep.equal([])
        expect(filesIn(tests!), name).to.not.deep.equal([])
        for (const file of filesIn(code!))
          expect([file, isThere(file), file.startsWith('test/')]).to.deep.equal([file, true, false])
        for (const file of filesIn(tests!))
          expect([file, isThere(file)]).to.deep.equal([file, /^test\/.*\.test\.ts$/.test(file)])
      }
  })
})

describe('the document of the routes', () => {
  const taking = routes.filter(
    ({ body, form, permission }) => body && !form && !['public', 'internal'].includes(permission),
  )
  for (const { method, path: at, body } of taking) {
    it(`shows a body that ${method} ${at} takes`, () => {
      const { examples = [] } = body as { examples?: unknown[] }
      expect(examples.length).to.be.at.least(1)
      for (const example of examples) expect(() => decoder(body!)(example)).not.to.throw()
    })
  }
})

describe('what documents name', () => {
  const pages = readdirSync(path.join(root, 'docs'), { recursive: true, encoding: 'utf8' })
  const files = ['README.md', 'CONTRIBUTING.md', 'SECURITY.md', ...pages.map((name) => `docs/${name}`)]
  const documents = files.filter((file) => file.endsWith('.md')).map((file) => ({ file, text: read(file) }))
  /** What the pattern's groups find in all documents, but for what `exists`. */
  const missing = (pattern: RegExp, exists: (found: string[], file: string) => boolean) =>
    documents.flatMap(({ file, text }) =>
      [...text.matchAll(pattern)].filter((one) => !exists(one.slice(1), file)).map(([all]) => `${file}: ${all}`),
    )

  const all = site(routes, { version: '', ready: async () => [], hooks: true, within: noEdge })
  const isRoute = (method: string | undefined, named: string) => {
    const segments = named.replace(/[.,]$/, '').split('/')
    return all.some((one) => {
      const declared = one.path.split('/')
      const isSame = (segment: string, i: number) => declared[i] === segment || /^[:{$*]/.test(segment + declared[i])
      const fits =
        declared.length === segments.length &&
        segments.every((segment, i) => isSame(segment, i) || declared[i]!.startsWith(':'))
      return fits && (method === undefined || one.method === method)
    })
  }

  it('are routes that are served', () => {
    const named = /\b(GET|POST|PUT|PATCH|DELETE) (\/[\w\-/{}$.:*]*\w\}?)/g
    expect(missing(named, ([method, place]) => isRoute(method, place!))).to.deep.equal([])
    expect(missing(/\$URL(\/[\w\-/{}$.]+)/g, ([place]) => isRoute(undefined, place!))).to.deep.equal([])
  })

  it('are settings that are read', () => {
    const known = new Set(Object.values(settings).map(({ name }) => name))
    const others = ['UV_THREADPOOL_SIZE', 'TIDEMARK_DATA', 'TEST_DEPTH', 'SIM_SEED', 'NODE_ENV', 'NODE_EXTRA_CA_CERTS']
    const named = /(?<![\w$])`?((?:TIDEMARK|[A-Z]+)_(?:[A-Z]+_?)+)(?:=[^\s`]+)`/g
    expect(missing(named, ([name]) => known.has(name!) || others.includes(name!))).to.deep.equal([])
    expect(missing(/\b(TIDEMARK_[A-Z_]+)\b/g, ([name]) => known.has(name!) || others.includes(name!))).to.deep.equal([])
  })

  it('are commands, benchmarks and tests that there are', () => {
    const names = commands.map(({ name }) => name)
    const isCommand = ([first, second]: string[]) =>
      ['help', ...names].some((name) => name === first || name === `${first} ${second}`)
    expect(missing(/tidemark -- ([a-z-]+)(?: ([a-z-]+))?/g, isCommand)).to.deep.equal([])
    expect(missing(/bench -- ([a-z][\w-]*)/g, ([name]) => isThere(`bench/${name}.ts`))).to.deep.equal([])
    expect(
      missing(/npm (?:test|run test:deep) -- ((?:test\/[\w\-./]+ ?)+)/g, ([named]) =>
        named!.trim().split(' ').every(isThere),
      ),
    ).to.deep.equal([])
    const listed = [...read('docs/benchmarks.md').matchAll(/^\| `([\w-]+)` \|/gm)].map(([, name]) => name)
    const there = readdirSync(path.join(root, 'bench')).filter((name) => name.endsWith('.ts'))
    expect([...listed, 'chaos']).to.have.members(there.map((name) => path.parse(name).name))
  })

  it('are organizations in one spelling: $ORG in blocks to paste, ID or $ORG in sentences', () => {
    const named = documents
      .filter(({ file }) => file !== 'docs/commands.md')
      .flatMap(({ file, text }) =>
        text.split(/^( *```(?:sh|bash)\n[^]*?^ *```)$/m).flatMap((part, i) =>
          [...part.matchAll(/--org ("?[$A-Z]\w*)/g)].map(([all, name]) => ({
            at: `${file}: ${all}`,
            isRight: name === '$ORG' || (i % 2 === 0 && name === 'ID'),
          })),
        ),
      )
    expect(named.length).to.be.above(100)
    expect(named.filter(({ isRight }) => !isRight).map(({ at }) => at)).to.deep.equal([])
  })

  it('are benchmarks that no limit of requests stops, where they ask as one caller', () => {
    const asking = readdirSync(path.join(root, 'bench')).filter((name) =>
      /Bearer|receipts/.test(name.endsWith('.ts') ? read(`bench/${name}`) : ''),
    )
    expect(asking).to.have.members([
      'console.ts',
      'edge.ts',
      'freshness.ts',
      'queries.ts',
      'receipts.ts',
      'restate.ts',
      'routes.ts',
    ])
    for (const name of asking) expect(read(`bench/${name}`), name).to.match(/\bRATE_LIMIT: '0'/)
  })

  it('are files and headings that there are', () => {
    const named = /`((?:engine|streams|analytics|actors|http|config|test|bench|docs)\/[\w\-./]+)`/g
    expect(missing(named, ([place]) => isThere(place!))).to.deep.equal([])
    const slug = (heading: string) =>
      heading
        .toLowerCase()
        .replace(/[^\w\- ]/g, '')
        .replaceAll(' ', '-')
    const headings = (file: string) => [...read(file).matchAll(/^#+ (.*)$/gm)].map(([, heading]) => slug(heading!))
    const leads = ([place, heading]: string[], file: string) => {
      const target = place ? path.join(path.dirname(file), place) : file
      return isThere(target) && (!heading || headings(target).includes(heading))
    }
    expect(missing(/\]\((?!https?:)([^)#\s]*)(?:#([\w-]+))?\)/g, leads)).to.deep.equal([])
  })
})

describe('the map of the code', () => {
  const filesIn = (cell: string) => [...cell.matchAll(/`([^`]*)`/g)].map(([, file]) => file!)

  it('has an example for each thing to add, of as many files as it says, which there are', () => {
    const [, table] = read('docs/map.md').split('| to add |')
    const rows = [...table!.matchAll(/^\| (an? [^|]*) \| [^|]* \| (\d+) \| ([^|]*) \|$/gm)]
    expect(rows).to.have.length.above(20)
    expect(rows).to.have.length(table!.match(/^\| an? /gm)!.length)
    for (const [, what, count, example] of rows) {
      expect(filesIn(example!).length, what).to.equal(Number(count))
      for (const file of filesIn(example!)) expect(isThere(file), `${what}: ${file}`).to.equal(true)
    }
  })

  it('answers where something is by two files at most', () => {
    const [, table] = read('docs/map.md').split('| where is ... |')
    const rows = [...table!.split('\n\n')[0]!.matchAll(/^\| ([^|]*) \| ([^|]*) \| ([^|]*) \|$/gm)]
    expect(rows).to.have.length.above(12)
    for (const [, what, ...cells] of rows) {
      const files = cells.flatMap((cell) => filesIn(cell))
      expect(files.length <= 2 && (files.length > 0 || cells[0]!.includes('](#')), what).to.equal(true)
      for (const file of files) expect(isThere(file), `${what}: ${file}`).to.equal(true)
    }
  })
})

describe('the first pages', () => {
  const top = ['LICENSE', 'NOTICE', 'CONTRIBUTING.md', 'CODE_OF_CONDUCT.md', 'SECURITY.md', 'CHANGELOG.md']

  it('are two screens, and lead to the licence, the habits and the map by reader', () => {
    expect(read('README.md').split('\n').length).to.be.at.most(120)
    expect(top.filter((file) => !isThere(file))).to.deep.equal([])
    const { license, version } = JSON.parse(read('package.json')) as { license: string; version: string }
    expect(license).to.equal('Apache-2.0')
    expect(read('LICENSE')).to.include('Apache License\n                           Version 2.0')
    expect(read('CHANGELOG.md')).to.include(`## [${version}]`)
  })

  it('lead to every page', () => {
    const pages = readdirSync(path.join(root, 'docs'), { recursive: true, encoding: 'utf8' })
    const map = read('docs/README.md') + read('docs/book/README.md').replaceAll('](', '](book/')
    const linked = new Set([...map.matchAll(/\]\(([\w\-/.]+\.md)/g)].map(([, page]) => page!))
    const all = pages.filter((page) => page.endsWith('.md') && page !== 'README.md')
    expect(all.filter((page) => !linked.has(page))).to.deep.equal([])
  })

  it('have the command reference that is generated', () => {
    const text = read('docs/commands.md')
    expect(text, 'npm run generate').to.equal(commandReference())
    expect(text).to.include('**demo tour**: Print commands to try on the demo organization.')
  })

  it('have diagrams of the machines that are generated from their tables', () => {
    for (const [page, diagram] of diagrams)
      expect(read(page), 'npm run generate').to.include(`<!-- states -->\n${diagram}\n<!-- /states -->`)
  })
})

describe('the decisions', () => {
  const page = 'docs/decisions.md'
  const folders = ['engine', 'streams', 'analytics', 'actors', 'http', 'config', 'test', 'bench', 'docs']
  const inside = (folder: string) =>
    readdirSync(path.join(root, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => path.relative(root, path.join(entry.parentPath, entry.name)))

  it('have one sentence for each number that is named anywhere, in order, and none for others', () => {
    const files = ['README.md', ...folders.flatMap(inside)].filter((file) => file !== page)
    const named = new Set(files.flatMap((file) => read(file).match(/\bG-\d+\b/g) ?? []))
    const told = [...read(page).matchAll(/^- \*\*(G-\d+)\*\*: [^ ].*\.$/gm)].map(([, number]) => number!)
    const order = (number: string) => Number(number.slice(2))
    expect(told).to.deep.equal([...named].sort((a, b) => order(a) - order(b)))
  })
})
