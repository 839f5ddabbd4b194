/**
 * A Google Cloud project during one call of the connector: sends requests with tokens of the account's service account.
 */
import type { AuthClient } from 'google-auth-library'
import type { Static, TSchema } from '#engine/value/schema.ts'
import { cloudFault, isCredentialsRefused, type CloudAccount } from '#streams/cloud/connector.ts'
import { askValue, askedBytes, decodeAnswer, type Question } from './api.ts'
import { gcpFault } from './fault.ts'
import { authClientOf } from './package.ts'
import { projectShape } from '#streams/cloud/gcp/resource-path.ts'
import { tokensOf, type GcpOptions, type Tokens } from './token.ts'

export interface GcpCall extends Question {
  /** The permission for the call, as in policies. */
  permission: string
  /** False if a repeat might act twice. */
  repeatable?: boolean
}

interface ListPage {
  nextPageToken?: string | undefined
}

/** Maximum pages of one list. */
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

  /** The answer, checked against `schema`. @throws a `cloudFault` (see `fault.ts`) */
  ask<S extends TSchema>(call: GcpCall, schema: S): Promise<Static<S>> {
    return this.called(call, async (how) => decodeAnswer(schema, await askValue(this.options, call, how), call))
  }

  /** A byte range of the answer. @throws as `ask` */
  bytes(call: GcpCall, range: string): Promise<Buffer> {
    return this.called(call, (how) => askedBytes(this.options, call, { ...how, range }))
  }

  /** Credentials for a client of Google's packages, whose calls are made within `called`. */
  authClient(): Promise<AuthClient> {
    return authClientOf(this.options, { token: () => this.tokens.token(), keep: `gcp ${this.account.id}` })
  }

  /** A call in `ask`, limited and repeated by the rules for all clouds. */
  async called<T>(
    call: Pick<GcpCall, 'service' | 'permission' | 'repeatable'>,
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

  /** Yields the pages of a list until one has no token for the next. */
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

/** A separate session for each call of the connector; sessions of an account share its token, except with `anew`. */
export const openGcp = (account: CloudAccount, options: GcpOptions, signal?: AbortSignal, anew = false): GcpSession =>
  new GcpSession(account, options, tokensOf(account, options, anew), signal)
