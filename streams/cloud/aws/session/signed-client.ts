/** Clients of services of which we make a few calls, too few for their packages: signed requests and answers in JSON. */
import { cloudFault } from '#streams/cloud/connector.ts'
import { sdk } from '#streams/cloud/call/sdk.ts'
import { answerMax } from './answer-limit.ts'
import { fetchOutside, TooLarge, type OutsideAnswer, type OutsideRequest } from '#streams/delivery/outbound.ts'
import type { AwsClient, ClientConfig } from './client.ts'

/** One operation; `O` is the type of its answer. */
export class SignedCommand<I extends object, O> {
  readonly input: I
  declare readonly resolveMiddleware: (...of: never[]) => (asked: never) => Promise<{ output: O }>

  constructor(input: I) {
    this.input = input
  }
}

interface HttpCall {
  method: 'GET' | 'POST'
  path: string
  headers?: Readonly<Record<string, string>>
  body: string
}

/** In the protocol AWS JSON 1.1. */
export const jsonCall = (prefix: string, operation: string, input: object): HttpCall => ({
  method: 'POST',
  path: '/',
  headers: { 'content-type': 'application/x-amz-json-1.1', 'x-amz-target': `${prefix}.${operation}` },
  body: JSON.stringify(input),
})

export abstract class SignedClient implements AwsClient {
  /** In signatures, and in the name of its host. */
  protected abstract readonly service: string
  protected abstract callOf: (operation: string, input: object) => HttpCall
  protected readonly config: ClientConfig

  constructor(config: ClientConfig) {
    this.config = config
  }

  protected get host(): string {
    const { region } = this.config
    return `https://${this.service}.${region}.amazonaws.com${region.startsWith('cn-') ? '.cn' : ''}`
  }

  /** @throws an error with AWS's error name, or a connection error */
  async send(command: unknown, { abortSignal }: { abortSignal: AbortSignal }): Promise<unknown> {
    const { input, constructor } = command as SignedCommand<object, unknown>
    const call = this.callOf(constructor.name.replace(/Command$/, ''), input)
    const url = new URL(call.path, this.config.endpoint ?? this.host)
    const headers = await this.signed(url, call)
    const { method, body } = call
    const asked = { method, headers, signal: abortSignal, ...(body !== '' && { body }) }
    const { status, headers: told, body: answer } = await request(url.href, this.service, asked)
    const text = answer.toString('utf8')
    if (status !== 200) throw refusalOf(status, told['x-amzn-errortype'], text)
    return parseAnswer(text, this.service)
  }

  destroy(): void {}

  private async signed(url: URL, { method, headers: own, body }: HttpCall): Promise<Record<string, string>> {
    const { SignatureV4 } = await sdk('@smithy/signature-v4', () => import('@smithy/signature-v4'))
    const { Sha256 } = await sdk('@smithy/core', () => import('@smithy/core/checksum'))
    const { region, credentials } = this.config
    const signer = new SignatureV4({ service: this.service, region, credentials, sha256: Sha256 })
    const { headers } = await signer.sign({
      method,
      protocol: url.protocol,
      hostname: url.hostname,
      path: url.pathname,
      headers: { host: url.host, ...own },
      body,
    })
    return headers
  }
}

/** Milliseconds. Callers have their own timeout and retries; this only ends abandoned requests. */
const timeoutMs = 120_000

/** The address is AWS's or the operator's own, possibly in a private network. All operations may be repeated. */
async function request(
  url: string,
  service: string,
  asked: Pick<OutsideRequest, 'method' | 'headers' | 'body' | 'signal'>,
): Promise<OutsideAnswer> {
  const rules = { timeoutMs, bytesMax: answerMax, allowPrivate: true, keep: `aws ${service}` }
  try {
    return await fetchOutside(url, { ...rules, ...asked })
  } catch (error) {
    const { message, cause } = error as Error
    if (cause instanceof TooLarge) throw cloudFault('system', 'answer_too_large', message, {}, error)
    throw Object.assign(new Error(message, { cause: error }), { name: 'NetworkingError' })
  }
}

function parseAnswer(text: string, service: string): Record<string, unknown> {
  try {
    const found: unknown = JSON.parse(text)
    if (typeof found === 'object' && found !== null) return found as Record<string, unknown>
  } catch {
    // Reported below.
  }
  throw cloudFault('system', 'unknown_answer', `The response of AWS ${service} is not valid JSON.`)
}

function refusalOf(httpStatusCode: number, header: string | string[] | undefined, text: string): Error {
  let said: Record<string, unknown> = {}
  try {
    said = parseAnswer(text, '')
  } catch {
    // A proxy before AWS may answer with something other than JSON.
  }
  const { __type = header, Message, message = Message } = said
  const error = new Error(typeof message === 'string' && message !== '' ? message : 'UnknownError')
  error.name = (typeof __type === 'string' ? __type : '').replace(/^.*#/, '').replace(/:.*$/, '')
  return Object.assign(error, { $metadata: { httpStatusCode } })
}
