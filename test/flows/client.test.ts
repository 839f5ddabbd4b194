/** The printed client: compiled under strict as a project would, and asked at the whole product. */
import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect } from 'chai'
import { clientOf } from '#http/client/print.ts'
import { root } from '#config/process/root.ts'
import { inProcess } from '#test/harness/command-line.ts'
import { sourceSecrets, tenant, type Tenant } from '#test/harness/product.ts'
import { testFolder } from '#test/harness/stores.ts'
import { deepIt } from '#test/harness/tier.ts'

const strict = [
  '--ignoreConfig --noEmit --strict --exactOptionalPropertyTypes --noUncheckedIndexedAccess --noUnusedLocals',
  '--allowImportingTsExtensions --erasableSyntaxOnly --target es2022 --module nodenext --lib es2023,dom,dom.iterable --types',
].flatMap((line) => line.split(' '))

/** What the compiler says of a file beside the client. */
function compiled(folder: string, text: string): string {
  const file = path.join(folder, 'use.ts')
  writeFileSync(file, text)
  writeFileSync(path.join(folder, 'package.json'), '{"type":"module"}')
  const tsc = path.join(root, 'node_modules/typescript/bin/tsc')
  return spawnSync(process.execPath, [tsc, ...strict, '', file], { encoding: 'utf8' }).stdout
}

const use = `
import { isRefusal, Tidemark, TidemarkError, type CodeOf, type ErrorOf, type Resource } from './tidemark.ts'
const tidemark = new Tidemark({ url: 'http://x', token: async () => 'y' })
const list: readonly Resource[] = await tidemark.call('GET /resources', { query: { limit: 5, type: ['aws-ec2'] } })
const one = await tidemark.call('GET /resources/{resourceID}', { params: { resourceID: 'x' } })
const { id } = await tidemark.call('POST /teams', { body: { name: 'Shop' } })
await tidemark.call('GET /teams')
for await (const page of tidemark.pages('GET /resources')) page.map(({ uid }) => uid)
const status: 'running' | 'stopped' | 'starting' | 'stopping' | 'pending' = one.status
export const all = [list, id, status, TidemarkError]
export function said(error: unknown): string {
  if (!isRefusal(error, 'POST /teams')) return ''
  const known: ErrorOf<'POST /teams'> = error
  switch (known.code) {
    case 'already_exists':
      return known.problem?.detail ?? ''
    // @ts-expect-error: this operation is not refused so
    case 'bill_less_than_half':
      return ''
  }
  return known.code
}
export const one_code: CodeOf<'POST /billing/uploads/{uploadID}/apply'> = 'bill_less_than_half'
// @ts-expect-error: nor is this one
export const no_code: CodeOf<'GET /teams'> = 'already_exists'
// @ts-expect-error: it needs an id
await tidemark.call('GET /resources/{resourceID}')
// @ts-expect-error: it knows no such parameter
await tidemark.call('GET /resources', { query: { limt: 5 } })
// @ts-expect-error: a parameter of another type
await tidemark.call('GET /resources', { query: { limit: 'five' } })
// @ts-expect-error: it has no pages
tidemark.pages('GET /members')
// @ts-expect-error: nor has what makes something
tidemark.pages('POST /teams')
// @ts-expect-error: there is no such operation
await tidemark.call('GET /nothing')
// @ts-expect-error: it takes no body
await tidemark.call('GET /teams', { body: {} })
// @ts-expect-error: a name is needed
await tidemark.call('POST /teams', { body: {} })
`

describe('the typed client', () => {
  let org: Tenant
  let folder: string
  let Tidemark: any
  let isRefusal: any
  before(async () => {
    org = await tenant()
    folder = testFolder()
    const served = await (await fetch(`${org.url}/client.ts`)).text()
    const printed = await inProcess({ TIDEMARK_DATA_DIR: folder, ...sourceSecrets }, 'client')
    expect([printed.code, printed.stdout]).to.deep.equal([0, served.replace(/\n*$/, '\n')])
    const file = path.join(folder, 'tidemark.ts')
    writeFileSync(file, served)
    ;({ Tidemark, isRefusal } = await import(pathToFileURL(file).href))
  })
  const at = (more: object = {}) => new Tidemark({ url: org.url, token: org.token, ...more })

  it('compiles under strict, and what is wrong does not', () => {
    expect(compiled(folder, use)).to.equal('')
  })

  it('has every operation of the document', async () => {
    const { paths } = (await (await fetch(`${org.url}/openapi.json`)).json()) as any
    const names = Object.entries<object>(paths).flatMap(([place, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${place}`),
    )
    const served = await (await fetch(`${org.url}/client.ts`)).text()
    expect(names.length).to.be.greaterThan(265)
    expect(names.filter((name) => !served.includes(`  "${name}": {`))).to.deep.equal([])
  })

  it('asks, changes, goes through pages and throws what is refused by its code', async () => {
    const client = at()
    const made = await client.call('POST /teams', { body: { name: 'A' } })
    for (const name of ['B', 'C', 'D', 'E']) await client.call('POST /teams', { body: { name } })
    const { name } = await client.call('GET /teams/{teamID}', { params: { teamID: made.id } })
    expect(name).to.equal('A')
    const pages: string[][] = []
    for await (const page of client.pages('GET /teams', { query: { limit: 2 } }))
      pages.push(page.items.map((one: any) => one.name))
    expect(pages).to.deep.equal([['A', 'B'], ['C', 'D'], ['E']])
    expect(await client.call('DELETE /teams/{teamID}', { params: { teamID: made.id } })).to.equal(undefined)
    const gone = await client
      .call('GET /teams/{teamID}', { params: { teamID: made.id } })
      .catch((error: Error) => error)
    expect([gone.name, gone.operation, gone.status, gone.code, gone.problem.status]).to.deep.equal([
      'TidemarkError',
      'GET /teams/{teamID}',
      404,
      'not_found',
      404,
    ])
    expect([isRefusal(gone, 'GET /teams/{teamID}'), isRefusal(gone, 'GET /teams')]).to.deep.equal([true, false])
    const wrong = await client.call('GET /resources', { query: { limt: 5 } }).catch((error: Error) => error)
    expect([wrong.code, wrong.problem.errors[0].name]).to.deep.equal(['invalid_parameter', 'limt'])
  })

  it('leads to no other path by what stands in it', async () => {
    for (const teamID of ['', '.', '..']) {
      const error = await at()
        .call('DELETE /teams/{teamID}', { params: { teamID } })
        .catch((one: Error) => one)
      expect([error.name, error.message]).to.deep.equal(['TypeError', `teamID cannot be "${teamID}"`])
    }
  })

  it('asks again what was not answered, and what is asked again is done once', async () => {
    let lost = 0
    const losing: typeof fetch = async (...given) => {
      const response = await fetch(...given)
      if (lost++ > 0) return response
      throw new TypeError('the answer was lost')
    }
    const { id } = await at({ fetch: losing }).call('POST /teams', { body: { name: 'Once' } })
    const { items } = await at().call('GET /teams')
    const found = items.filter(({ name }: any) => name === 'Once')
    expect([lost, found.map((one: any) => one.id)]).to.deep.equal([2, [id]])
  })

  it('says of what no API has answered that it cannot be read', async () => {
    const proxy: typeof fetch = async () => new Response('<html>Bad Gateway</html>', { status: 502 })
    const error = await at({ fetch: proxy })
      .call('GET /teams')
      .catch((one: Error) => one)
    expect([error.status, error.code, error.problem]).to.deep.equal([502, 'unreadable', undefined])
  })

  deepIt('keeps to the language whatever names and texts hold', () => {
    const odd = 'a"\'`\\\n*/ ${x}\u2028<'
    const text = clientOf({
      info: { title: odd, version: '1' },
      components: {
        schemas: { 'Odd one': { type: 'object', description: odd, properties: { [odd]: { const: odd } } } },
      },
      paths: {
        [`/${odd}`]: {
          get: {
            summary: odd,
            parameters: [{ name: odd, in: 'query', required: true, description: odd, schema: { enum: [odd] } }],
            responses: {
              200: { content: { 'application/json': { schema: { $ref: '#/components/schemas/Odd one' } } } },
            },
          },
        },
      },
    })
    const beside = testFolder()
    writeFileSync(path.join(beside, 'tidemark.ts'), text)
    expect(compiled(beside, `import type { Odd_one } from './tidemark.ts'\nexport type One = Odd_one\n`)).to.equal('')
  })
})
