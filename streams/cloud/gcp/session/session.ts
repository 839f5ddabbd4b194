/** One project of Google Cloud as one run of a call sees it: with tokens of the account's service account, and how it is asked. */
import type { Static, TSchema } from '#engine/value/schema.ts'
import { cloudFault, isCredentialsRefused, type CloudAccount } from '#streams/cloud/connector.ts'
import { askValue, askedBytes, decodeAnswer, type Question } from './api.ts'
import { gcpFault } from './fault.ts'
import { projectShape } from '#streams/cloud/gcp/resource-path.ts'
import { tokensOf, type GcpOptions, type Tokens } from './token.ts'

export interface GcpCall extends Question {
  /** What policies call what the call needs. */
  permission: string
  /** False where asking twice may do it twice. */
  repeatable?: boolean
}

interface ListPage {
  nextPageToken?: string | undefined
}

/** Pages of one list: one that never ends has no end for us. */
const pagesMax = 20_000

export class GcpSession {
  readonly account: CloudAccount
  readonly signal: AbortSignal | undefined
  readonly tokens: Tokens
  private readonly options: GcpOptions

  constructor(account: CloudAccount, options: GcpOptions, tokens: Tokens, signal?: AbortSignal) {
    if (!projectShape.test(account.externalId))
      throw cloudFault('user_action', 'project_invalid', `${account.externalId} is not a project ID.`, {
        fixHint: 'Connect the project by its ID, as shown by gcloud projects list.',
      })
    this.account = account
    this.options = options
    this.tokens = tokens
    this.signal = signal
  }

  get project(): string {
    return this.account.externalId
  }

  /** The answer, read by `schema`. @throws a `cloudFault`, as `fault.ts` says */
  ask<S extends TSchema>(call: GcpCall, schema: S): Promise<Static<S>> {
    return this.called(call, async (how) => decodeAnswer(schema, await askValue(this.options, call, how), call))
  }

  /** A range of the bytes that are answered. @throws as `ask` */
  bytes(call: GcpCall, range: string): Promise<Buffer> {
    return this.called(call, (how) => askedBytes(this.options, call, { ...how, range }))
  }

  private async called<T>(
    call: GcpCall,
    ask: (how: { token: string; keep: string; signal: AbortSignal }) => Promise<T>,
  ): Promise<T> {
    const { service, permission, repeatable = true } = call
    const { id } = this.account
    const { options, tokens } = this
    return options.caller.call(
      { provider: 'gcp', account: id, service, region: '', operation: permission },
      async (signal) => ask({ token: await tokens.token(), keep: `gcp ${id}`, signal }),
      (error) => {
        const fault = gcpFault(error, { service, permission, project: this.project })
        if (isCredentialsRefused(fault)) tokens.forget()
        return fault
      },
      { signal: this.signal, repeatable },
    )
  }

  /** The answers of a list, until one has no token for the next. */
  async *pages<S extends TSchema>(call: GcpCall, schema: S): AsyncGenerator<Static<S>> {
    let token: string | undefined
    for (let pages = 0; pages < pagesMax; pages++) {
      const answer = await this.ask({ ...call, query: { ...call.query, pageToken: token } }, schema)
      yield answer
      token = (answer as ListPage).nextPageToken || undefined
      if (token === undefined) return
    }
    throw gcpFault(new Error('endless'), { ...call, project: this.project })
  }
}

/** A session of its own for each call of the connector. Those of an account share its token. `anew`: not this one. */
export const openGcp = (account: CloudAccount, options: GcpOptions, signal?: AbortSignal, anew = false): GcpSession =>
  new GcpSession(account, options, tokensOf(account, options, anew), signal)
