/** One account of AWS as one run of a call sees it: its clients, with credentials of the role it gave us, and how they are asked. */
import type { AwsCredentialIdentityProvider } from '@smithy/types'
import type { Caller } from '#streams/cloud/call/call.ts'
import type { Fault } from '#engine/value/fault.ts'
import { isCredentialsRefused, type CloudAccount } from '#streams/cloud/connector.ts'
import type { AwsClient } from './client.ts'
import { awsFault, type AwsCallInfo } from './fault.ts'
import { loadModule, makeClient, type Modules, type Service } from './services.ts'

/** The region of what has none: sign-in, policies of access, costs. */
export const globalRegion = 'us-east-1'

export interface AwsOptions {
  caller: Caller
  /** Of every service, where it is not the cloud's own: a stand-in of tests. */
  endpoint?: string | undefined
  /** Credentials that roles are assumed with; left out: whatever the process has, as the SDK finds it. */
  base?: AwsCredentialIdentityProvider | undefined
}

/** A command of any service, by what it answers. */
export interface AwsCommand<O> {
  resolveMiddleware: (...of: never[]) => (asked: never) => Promise<{ output: O }>
}

/** Asks one region of one service, once for each call; what is transient is asked again by the caller's rules. */
export class AwsSession {
  readonly account: CloudAccount
  readonly signal: AbortSignal | undefined
  private readonly options: AwsOptions
  /** Those of the account's role. */
  readonly credentials: AwsCredentialIdentityProvider
  private readonly clients = new Map<string, Promise<AwsClient>>()

  private readonly forget: () => void

  /** `credentials`: those of the account's role. `forget` is called where the cloud refuses them. */
  constructor(
    account: CloudAccount,
    options: AwsOptions,
    { credentials, forget = () => {} }: { credentials: AwsCredentialIdentityProvider; forget?: () => void },
    signal?: AbortSignal,
  ) {
    this.account = account
    this.options = options
    this.credentials = credentials
    this.forget = forget
    this.signal = signal
  }

  /**
   * @param repeatable false where asking twice may do it twice
   * @throws a `cloudFault`, as `fault.ts` says
   */
  async ask<S extends Service, O>(
    service: S,
    region: string,
    make: (module: Modules[S]) => AwsCommand<O>,
    { repeatable = true }: { repeatable?: boolean } = {},
  ): Promise<O> {
    const client = await this.client(service, region)
    const command = make(await loadModule(service))
    const operation = command.constructor.name.replace(/Command$/, '')
    const door = { provider: 'aws', account: this.account.id, service, region, operation }
    return this.options.caller.call(
      door,
      (abortSignal) => client.send(command, { abortSignal }) as Promise<O>,
      (error) => this.faultOf(error, { service, operation, region }),
      { signal: this.signal, repeatable },
    )
  }

  private faultOf(error: unknown, asked: AwsCallInfo): Fault {
    const fault = awsFault(error, asked)
    if (isCredentialsRefused(fault)) this.forget()
    return fault
  }

  /** The answers to `make(token)`, until one has no token for the next. */
  async *pages<S extends Service, O>(
    service: S,
    region: string,
    make: (module: Modules[S], token: string | undefined) => AwsCommand<O>,
    tokenOf: (answer: O) => string | undefined,
  ): AsyncGenerator<O> {
    let token: string | undefined
    do {
      const answer = await this.ask(service, region, (module) => make(module, token))
      yield answer
      token = tokenOf(answer) || undefined
    } while (token !== undefined)
  }

  close(): void {
    for (const client of this.clients.values())
      client.then(
        (one) => one.destroy(),
        () => {},
      )
  }

  private client(service: Service, region: string): Promise<AwsClient> {
    const key = `${service} ${region}`
    let client = this.clients.get(key)
    if (!client) {
      const { endpoint } = this.options
      client = makeClient(service, {
        region,
        credentials: this.credentials,
        maxAttempts: 1,
        // A stand-in has one address for all of its buckets.
        ...(endpoint !== undefined && { endpoint, ...(service === 's3' && { forcePathStyle: true }) }),
      })
      this.clients.set(key, client)
    }
    return client
  }
}
