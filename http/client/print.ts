/** A client of the API as one file that a project takes: its operations are those of the document. */
import { readFileSync } from 'node:fs'
import { comment, key, literal, nameOf, typeOf, type Schema } from './type.ts'

interface Parameter {
  name: string
  in: 'path' | 'query' | 'header'
  required: boolean
  description?: string
  schema: Schema
}

interface Content {
  $ref?: string
  content?: Readonly<Record<string, { schema?: Schema }>>
}

interface Described {
  summary: string
  description?: string
  deprecated?: boolean
  parameters: readonly Parameter[]
  requestBody?: Content
  responses: Readonly<Record<string, Content>>
}

/** As much of the OpenAPI document as the client is made of. */
export interface ApiDocument {
  info: { title: string; version: string }
  paths: Readonly<Record<string, Readonly<Record<string, Described>>>>
  components: { schemas: Readonly<Record<string, Schema>>; responses?: Readonly<Record<string, Content>> }
}

const runtime = readFileSync(new URL('runtime.ts', import.meta.url), 'utf8')
const place = /\/\/ <operations>\n[^]*\/\/ <\/operations>\n/

export function clientOf({ info, paths, components }: ApiDocument): string {
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, one]) =>
      operation(`${method.toUpperCase()} ${path}`, one, codesOf(one.responses, components.responses)),
    ),
  )
  const types = Object.entries(components.schemas).map(
    ([title, schema]) => `${comment(schema.description, '')}export type ${nameOf(title)} = ${typeOf(schema)}\n`,
  )
  const made = `${types.join('\n')}\nexport interface Operations {\n${operations.join('\n')}\n}\n`
  const [, rest = ''] = runtime.split(/^\/\*\*[^]*?\*\/\n/)
  const head = `// The client of ${info.title.replaceAll(/\s+/g, ' ')} ${info.version}, printed by \`tidemark client\`: print it anew rather than changing it.\n`
  return head + rest.replace(place, () => made)
}

function operation(
  name: string,
  { summary, description, deprecated, parameters, ...rest }: Described,
  codes: readonly string[],
): string {
  const said = [summary, description, deprecated ? '@deprecated' : undefined].filter((one) => one !== undefined)
  const body = rest.requestBody?.content?.['application/json']?.schema
  const isOther = rest.requestBody !== undefined && body === undefined
  return [
    `${comment(said.join('\n'), '  ')}  ${literal(name)}: {`,
    `    params: ${inputs(parameters.filter((one) => one.in === 'path'))}`,
    `    query: ${inputs(parameters.filter((one) => one.in === 'query'))}`,
    `    body: ${body ? typeOf(body, '    ') : isOther ? 'unknown' : 'never'}`,
    `    answer: ${answer(rest.responses)}`,
    `    code: ${codes.map(literal).join(' | ') || 'string'}`,
    '  }',
  ].join('\n')
}

/** The codes of all refusals, each once. */
function codesOf(responses: Described['responses'], known: Readonly<Record<string, Content>> = {}): string[] {
  const codes = Object.values(responses).flatMap(({ $ref, content }) => {
    const whole = $ref === undefined ? content : known[$ref.slice(responsePrefix.length)]?.content
    const parts = whole?.['application/problem+json']?.schema?.allOf ?? []
    return parts.flatMap(({ properties }) => properties?.['code']?.enum ?? []) as string[]
  })
  return [...new Set(codes)].toSorted()
}

const responsePrefix = '#/components/responses/'

/** `never` where there are none, so that none can be given. */
function inputs(parameters: readonly Parameter[]): string {
  if (parameters.length === 0) return 'never'
  const members = parameters.map(({ name, required, description, schema }) => {
    const isNeeded = required && !('default' in schema)
    return `${comment(description, '      ')}      ${key(name)}${isNeeded ? '' : '?'}: ${typeOf(schema, '      ')}`
  })
  return `{\n${members.join('\n')}\n    }`
}

/** What stands in `data`, or the whole where there is no such. */
function answer(responses: Described['responses']): string {
  const good = Object.entries(responses).filter(([status]) => status.startsWith('2'))
  const types = good.map(([, { content }]) => {
    const schema = content?.['application/json']?.schema
    if (!schema) return content ? 'string' : 'undefined'
    const { data } = schema.properties ?? {}
    return typeOf(data && schema.required?.includes('data') ? data : schema, '    ')
  })
  return [...new Set(types)].join(' | ') || 'undefined'
}
