/** What stands before a cloud and may answer in its place, as AWS answers: so that stand-ins without permissions have some. */
import { createServer, request as ask, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { chance } from '#streams/cloud/simulated/world/prng.ts'

/** A question as its signature and its body name it. */
export interface Question {
  service: string
  region: string
  /** `DescribeInstances`; where the way alone says what is asked, the method and the path. */
  action: string
  /** Milliseconds of the real clock. */
  at: number
  /** What it asked for was done, and the answer did not come back. */
  isLost?: boolean
}

export interface Refusal {
  status: number
  code: string
}

export interface Refusing {
  url: string
  /** Undefined lets a question pass. */
  rule: (question: Question) => Refusal | undefined
  /** True lets a question pass, and its answer get lost. */
  loses: (question: Question) => boolean
  /** What was asked, refused or not. */
  asked: Question[]
  close: () => Promise<void>
}

export const denied: Refusal = { status: 403, code: 'AccessDenied' }

/** `target`: left out where the rule answers all. */
export async function refusing(target?: string): Promise<Refusing> {
  const made: Refusing = {
    url: '',
    rule: () => undefined,
    loses: () => false,
    asked: [],
    close: () => ended(server),
  }
  const server = createServer((question, answer) => void serve(made, target, question, answer))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  made.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return made
}

/**
 * A share of all answers gets lost, with the same luck in every run, and the first to each of `firsts`. Which of those that change something
 * it befalls must not hang on how often is looked.
 */
export function losing(share: number, firsts: readonly string[] = []): Refusing['loses'] {
  const counts = new Map<string, number>()
  return ({ action }) => {
    const nth = counts.get(action) ?? 0
    counts.set(action, nth + 1)
    return chance('losing', action, nth) < share || (nth === 0 && firsts.includes(action))
  }
}

async function ended(server: Server): Promise<void> {
  server.close()
  server.closeAllConnections()
  await once(server, 'close')
}

async function serve(of: Refusing, target: string | undefined, from: IncomingMessage, to: ServerResponse) {
  const body = await buffer(from)
  const question = questionOf(from, body.toString('latin1'))
  of.asked.push(question)
  const refusal = of.rule(question)
  if (refusal) return refuse(to, refusal, from.headers['x-amz-target'] !== undefined)
  if (target === undefined) return to.writeHead(503).end()
  const { method, url, headers } = from
  question.isLost = of.loses(question)
  const forwarded = ask(`${target}${url}`, { method, headers }, (answer) => {
    if (question.isLost) return void answer.resume().on('end', () => to.destroy())
    to.writeHead(answer.statusCode!, answer.headers)
    answer.pipe(to)
  })
  forwarded.on('error', () => to.destroy())
  forwarded.end(body)
}

function questionOf({ headers, method, url }: IncomingMessage, body: string): Question {
  const [, region = '', service = ''] =
    /Credential=[^/]+\/\d+\/([^/]+)\/([^/]+)\//.exec(headers.authorization ?? '') ?? []
  const target = headers['x-amz-target']
  const named = typeof target === 'string' ? target.split('.').at(-1) : /(?:^|&)Action=(\w+)/.exec(body)?.[1]
  return { service, region, action: named ?? `${method} ${url}`, at: Date.now() }
}

/** In the shape of whoever asked: JSON, or the XML of all others, in which each reads its own part. */
function refuse(to: ServerResponse, { status, code }: Refusal, isJson: boolean): void {
  const message = 'Refused by the test.'
  if (isJson)
    return void to
      .writeHead(status, { 'content-type': 'application/x-amz-json-1.1' })
      .end(JSON.stringify({ __type: code, message }))
  const error = `<Error><Code>${code}</Code><Message>${message}</Message></Error>`
  to.writeHead(status, { 'content-type': 'text/xml', 'x-amzn-errortype': code })
  to.end(`<Response>${error}<Errors>${error}</Errors><RequestID>1</RequestID></Response>`)
}
