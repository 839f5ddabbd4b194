/**
 * A client for AWS Organizations with signed JSON requests: seven operations, in the shape of an SDK client. Source:
 * "AWS Organizations API Reference" and the protocol AWS JSON 1.1.
 */
import { cloudFault } from '#streams/cloud/connector.ts'
import { sdk } from '#streams/cloud/call/sdk.ts'
import { answerMax } from './answer-limit.ts'
import { fetchOutside, TooLarge, type OutsideAnswer, type OutsideRequest } from '#streams/delivery/outbound.ts'
import type { AwsClient, ClientConfig } from './client.ts'

/** One operation; `O` is the type of its answer. */
class Operation<I extends object, O> {
  readonly input: I
  declare readonly resolveMiddleware: (...of: never[]) => (asked: never) => Promise<{ output: O }>

  constructor(input: I) {
    this.input = input
  }
}

interface Page {
  NextToken?: string
}

interface Account {
  Id?: string
  Name?: string
  /** `ACTIVE`, `SUSPENDED`, `PENDING_CLOSURE`. */
  Status?: string
  /** More precise than Status, if AWS sends it: also `PENDING_ACTIVATION`, `CLOSED`. */
  State?: string
}

interface Unit {
  Id?: string
  Name?: string
}

export class DescribeOrganizationCommand extends Operation<
  object,
  { Organization?: { Id?: string; MasterAccountId?: string } }
> {}
export class ListRootsCommand extends Operation<Page, Page & { Roots?: Unit[] }> {}
export class ListOrganizationalUnitsForParentCommand extends Operation<
  Page & { ParentId: string },
  Page & { OrganizationalUnits?: Unit[] }
> {}
export class ListAccountsForParentCommand extends Operation<
  Page & { ParentId: string },
  Page & { Accounts?: Account[] }
> {}
export class ListTagsForResourceCommand extends Operation<
  Page & { ResourceId: string },
  Page & { Tags?: { Key?: string; Value?: string }[] }
> {}

export class OrganizationsClient implements AwsClient {
  private readonly config: ClientConfig

  constructor(config: ClientConfig) {
    this.config = config
  }

  /** @throws an error with AWS's error name, or a connection error */
  async send(command: unknown, { abortSignal }: { abortSignal: AbortSignal }): Promise<unknown> {
    const { input, constructor } = command as Operation<object, unknown>
    const operation = constructor.name.replace(/Command$/, '')
    const url = new URL(this.config.endpoint ?? `https://organizations.${this.config.region}.amazonaws.com`)
    const body = JSON.stringify(input)
    const headers = await this.signed(url, operation, body)
    const { status, headers: told, body: answer } = await postRequest(url.href, { headers, body, signal: abortSignal })
    if (status !== 200) throw refusalOf(status, told['x-amzn-errortype'], answer.toString('utf8'))
    return parseAnswer(answer.toString('utf8'))
  }

  destroy(): void {}

  private async signed(url: URL, operation: string, body: string): Promise<Record<string, string>> {
    const { SignatureV4 } = await sdk('@smithy/signature-v4', () => import('@smithy/signature-v4'))
    const { Sha256 } = await sdk('@smithy/core', () => import('@smithy/core/checksum'))
    const { region, credentials } = this.config
    const signer = new SignatureV4({ service: 'organizations', region, credentials, sha256: Sha256 })
    const { headers } = await signer.sign({
      method: 'POST',
      protocol: url.protocol,
      hostname: url.hostname,
      path: url.pathname,
      headers: {
        host: url.host,
        'content-type': 'application/x-amz-json-1.1',
        'x-amz-target': `AWSOrganizationsV20161128.${operation}`,
      },
      body,
    })
    return headers
  }
}

/** Milliseconds. Callers have their own timeout and retries; this only ends abandoned requests. */
const timeoutMs = 120_000

/** The address is AWS's or the operator's own, possibly in a private network. All operations may be repeated. */
async function postRequest(
  url: string,
  asked: Pick<OutsideRequest, 'headers' | 'body' | 'signal'>,
): Promise<OutsideAnswer> {
  const rules = { timeoutMs, bytesMax: answerMax, allowPrivate: true, keep: 'aws organizations' }
  try {
    return await fetchOutside(url, { method: 'POST', ...rules, ...asked })
  } catch (error) {
    const { message, cause } = error as Error
    if (cause instanceof TooLarge) throw cloudFault('system', 'answer_too_large', message, {}, error)
    throw Object.assign(new Error(message, { cause: error }), { name: 'NetworkingError' })
  }
}

function parseAnswer(text: string): Record<string, unknown> {
  try {
    const found: unknown = JSON.parse(text)
    if (typeof found === 'object' && found !== null) return found as Record<string, unknown>
  } catch {
    // Reported below.
  }
  throw cloudFault('system', 'unknown_answer', 'The response of AWS Organizations is not valid JSON.')
}

function refusalOf(httpStatusCode: number, header: string | string[] | undefined, text: string): Error {
  let said: Record<string, unknown> = {}
  try {
    said = parseAnswer(text)
  } catch {
    // A proxy before AWS may answer with something other than JSON.
  }
  const { __type = header, Message, message = Message } = said
  const error = new Error(typeof message === 'string' && message !== '' ? message : 'UnknownError')
  error.name = (typeof __type === 'string' ? __type : '').replace(/^.*#/, '').replace(/:.*$/, '')
  return Object.assign(error, { $metadata: { httpStatusCode } })
}
