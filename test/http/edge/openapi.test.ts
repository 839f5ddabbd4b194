/** The document of the API says all that a client needs of each operation, and shows it. */
import { expect } from 'chai'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { routes, site } from '#http/index.ts'
import { documentOf } from '#http/site/document.ts'
import { refusalsOf } from '#http/edge/document/refusal.ts'
import { route } from '#http/edge/route.ts'
import { isStandIn } from '#streams/names.ts'
import { noEdge } from '#test/harness/site.ts'
import { sample } from '#test/harness/tier.ts'

type Json = Record<string, any>

const all = site(routes, { version: '1', ready: async () => [], within: noEdge })
const document = JSON.parse(
  JSON.stringify(documentOf(all, { version: '1', url: 'https://tidemark.example.com' })),
) as Json
const operations = Object.entries<Json>(document['paths']).flatMap(([path, methods]) =>
  Object.entries<Json>(methods).map(([method, one]) => ({ name: `${method.toUpperCase()} ${path}`, one })),
)
const without = (says: (one: Json) => boolean) => operations.filter(({ one }) => !says(one)).map(({ name }) => name)

/** Every object within a value. */
const objectsIn = (value: unknown): Json[] =>
  typeof value === 'object' && value !== null ? [value as Json, ...Object.values(value).flatMap(objectsIn)] : []

describe('the document', () => {
  const ajv = new Ajv2020({ strict: false, validateFormats: false }).addSchema(document, 'document')
  const at = (...steps: string[]) =>
    `document#${steps.map((step) => `/${step.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')}`
  /** What is wrong with the examples of some contents, which stand at `place`. */
  const wrong = (contents: Json, ...place: string[]): string[] =>
    Object.entries<Json>(contents).flatMap(([media, { example }]) => {
      if (example === undefined) return [`${place.join(' ')} ${media}: none`]
      const validate = ajv.getSchema(at(...place, media, 'schema'))!
      return validate(example) ? [] : [`${place.join(' ')} ${media}: ${ajv.errorsText(validate.errors)}`]
    })

  it('describes every operation, and says more than its summary', () => {
    expect(operations.length).to.be.greaterThan(340)
    expect(without(({ summary, description }) => description?.length > 20 && description !== summary)).to.deep.equal([])
  })

  it('shows every body and every answer, as its schema has it', () => {
    const found = sample(Object.entries<Json>(document['paths']), 50).flatMap(([path, methods]) =>
      Object.entries<Json>(methods).flatMap(([method, { requestBody, responses }]) => [
        ...wrong(requestBody?.content ?? {}, 'paths', path, method, 'requestBody', 'content'),
        ...Object.entries<Json>(responses)
          .filter(([status]) => /^[23]/.test(status))
          .flatMap(([status, { content = {} }]) =>
            wrong(content, 'paths', path, method, 'responses', status, 'content'),
          ),
      ]),
    )
    expect(found).to.deep.equal([])
  })

  it('shows of its schemas what they have', () => {
    const found = sample(Object.entries<Json>(document['components'].schemas), 50).flatMap(
      ([title, { examples = [] }]) => {
        const validate = ajv.getSchema(at('components', 'schemas', title))!
        return examples
          .filter((example: unknown) => !validate(example))
          .map(() => `${title}: ${ajv.errorsText(validate.errors)}`)
      },
    )
    expect(found).to.deep.equal([])
  })

  it('lists the codes of every refusal, one list a status', () => {
    const codesOf = ({ responses }: Json) =>
      Object.entries<Json>(responses)
        .filter(([status]) => /^[45]/.test(status))
        .map(([status, { $ref }]) => {
          const { content } = document['components'].responses[$ref.split('/').at(-1)]
          const named = content['application/problem+json'].schema.$ref.split('/').at(-1)
          const { properties } = document['components'].schemas[named]
          return [status, properties.status.const, properties.code.enum]
        })
    const [reads] = operations.filter(({ name }) => name === 'GET /teams/{teamID}')
    expect(codesOf(reads!.one)).to.deep.equal([
      ['400', 400, ['invalid_parameter', 'validation_failed']],
      ['401', 401, ['invalid_token', 'unauthenticated']],
      [
        '403',
        403,
        [
          'forbidden',
          'not_a_member',
          'organization_closed',
          'organization_required',
          'second_factor_required',
          'wrong_scope',
        ],
      ],
      ['404', 404, ['not_found']],
      ['429', 429, ['rate_limited']],
      ['500', 500, ['internal']],
      ['503', 503, ['storage_full', 'unavailable']],
    ])
    // Directories and clients of OAuth are refused in the form of their standards, which have no codes of ours.
    const isOurs = ({ responses }: Json) => responses['500'].$ref !== undefined
    expect(
      without(
        (one) =>
          !isOurs(one) || codesOf(one).every(([status, said, codes]) => Number(status) === said && codes.length > 0),
      ),
    ).to.deep.equal([])
  })

  it('requires no parameter that has a default', () => {
    const parameters = operations.flatMap(({ one, name }) =>
      ((one['parameters'] ?? []) as Json[]).map((parameter) => ({ name, ...parameter }) as Json),
    )
    const wrong = parameters.filter(({ required, schema }) => required === true && schema.default !== undefined)
    expect(wrong).to.deep.equal([])
    const page = parameters.find(
      ({ name, in: where, schema }) => name === 'page' && where === 'query' && schema.default,
    )
    expect(page).to.include({ required: false })
  })

  it('names each of several shapes, and says what tells them apart where a constant does', () => {
    const several = objectsIn(document).filter(({ anyOf }) => Array.isArray(anyOf))
    const isNamed = (one: Json) => one['properties'] === undefined || typeof one['title'] === 'string'
    const nameless = several.filter(({ anyOf }) => anyOf.filter(({ type }: Json) => type !== 'null').length > 1)
    expect(nameless.filter(({ anyOf }) => !anyOf.every(isNamed))).to.deep.equal([])
    const answer =
      document['paths']['/what-if'].post.responses['200'].content['application/json'].schema.properties.data
    expect(answer.discriminator.propertyName).to.equal('kind')
    expect(answer.discriminator.mapping.budget).to.equal('#/components/schemas/BudgetWhatIf')
    expect(Object.values(answer.discriminator.mapping)).to.deep.equal(answer.anyOf.map(({ $ref }: Json) => $ref))
  })

  it('lists no two words that differ in capitals alone', () => {
    const lists = objectsIn(document).flatMap(({ enum: words }) => (Array.isArray(words) ? [words] : []))
    const alike = lists.filter((words) => new Set(words.map((word) => String(word).toLowerCase())).size < words.length)
    expect(alike).to.deep.equal([])
  })

  it('has a type beside every list of words, and no word that stands for another', () => {
    const words = objectsIn(document).filter(({ enum: list }) => Array.isArray(list))
    expect(words.length).to.be.greaterThan(500)
    expect(words.filter(({ type }) => type === undefined)).to.deep.equal([])
    expect(words.flatMap(({ enum: list }) => list.filter(isStandIn))).to.deep.equal([])
  })
})

describe('refusals', () => {
  const fixed = { summary: '', permission: 'public', handle: async () => undefined } as const

  it('follow from the form of a route, and what it declares stands beside', () => {
    const made = route({ ...fixed, method: 'POST', path: '/things', refuses: { 409: ['taken'], 422: ['full'] } })
    expect(refusalsOf(made)).to.deep.equal({
      400: ['invalid_parameter', 'validation_failed', 'malformed_request', 'malformed_json'],
      408: ['request_timeout'],
      409: ['answer_not_kept', 'taken'],
      413: ['body_too_large'],
      415: ['unsupported_media_type'],
      422: ['idempotency_mismatch', 'full'],
      429: ['too_many_keys', 'rate_limited'],
      500: ['internal'],
      503: ['unavailable', 'storage_full'],
    })
    const read = route({ ...fixed, method: 'GET', path: '/things', permission: 'internal' })
    expect(refusalsOf(read)).to.deep.equal({
      400: ['invalid_parameter'],
      401: ['unauthenticated', 'invalid_token'],
      403: ['forbidden', 'not_a_member', 'wrong_scope'],
      429: ['rate_limited'],
      500: ['internal'],
      503: ['unavailable', 'storage_full'],
    })
  })
})
