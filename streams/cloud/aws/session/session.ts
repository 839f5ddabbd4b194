/** An AWS account during one call of the connector: clients with the credentials of the account's role. */
import type { AwsCredentialIdentityProvider } from '@smithy/types'
import type { Caller } from '#streams/cloud/call/call.ts'
import type { Fault } from '#engine/value/fault.ts'
import { isCredentialsRefused, type CloudAccount } from '#streams/cloud/connector.ts'
import type { AwsClient } from './client.ts'
import { awsFault, type AwsCallInfo } from './fault.ts'
import { partitionOf, regionIn } from './partition.ts'
import { loadModule, makeClient, type Modules, type Service } from './services.ts'

export { globalRegion } from './partition.ts'

export interface AwsOptions {
  caller: Caller
  /** Address of a stand-in for all services, for tests. */
  endpoint?: string | undefined
  /** Credentials for assuming roles; by default the SDK searches for those of the process. */
  base?: AwsCredentialIdentityProvider | undefined
}

/** A command of any service, typed by its answer. */
export interface AwsCommand<O> {
  resolveMiddleware: (...of: never[]) => (asked: never) => Promise<{ output: O }>
}

/** Calls AWS services, each call once; callers retry transient faults. */
export class AwsSession {
  readonly account: CloudAccount
  readonly signal: AbortSignal | undefined
  /** As ARNs name it. */
  readonly partition: string
  private readonly options: AwsOptions
  /** Credentials of the account's role. */
  readonly credentials: AwsCredentialIdentityProvider
  private readonly clients = new Map<string, Promise<AwsClient>>()

  private readonly forget: () => void

  /** `credentials` are those of the account's role. `forget` is called if AWS refuses them. */
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
    this.partition = partitionOf(account)
  }

  /** @param repeatable false if a repeat might act twice @throws a `cloudFault` (see `fault.ts`) */
  async ask<S extends Service, O>(
    service: S,
    where: string,
    make: (module: Modules[S]) => AwsCommand<O>,
    { repeatable = true }: { repeatable?: boolean } = {},
  ): Promise<O> {
    const region = regionIn(this.partition, where)
    const client = await this.client(service, region)
    const module = await loadModule(service)
    const operation = make(module).constructor.name.replace(/Command$/, '')
    const door = { provider: 'aws', account: this.account.id, service, region, operation }
    return this.options.caller.call(
      door,
      // A new command for each try: some add to themselves what they must not have twice.
      (abortSignal) => client.send(make(module), { abortSignal }) as Promise<O>,
      (error) => this.faultOf(error, { service, operation, region }),
      { signal: this.signal, repeatable },
    )
  }

  private faultOf(error: unknown, asked: AwsCallInfo): Fault {
    const fault = awsFault(error, asked)
    if (isCredentialsRefused(fault)) this.forget()
    return fault
  }

  /** Yields the answers to `make(token)` until one has no token for the next. */
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
        // A stand-in has one address for all buckets, and for all accounts.
        ...(endpoint !== undefined && {
          endpoint,
          ...(service === 's3' && { forcePathStyle: true }),
          ...(service === 's3-control' && { endpointProvider: () => ({ url: new URL(endpoint) }) }),
        }),
      })
      this.clients.set(key, client)
    }
    return client
  }
}
