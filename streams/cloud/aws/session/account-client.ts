/** AWS Account Management: one operation. Source: "AWS Account Management API Reference". */
import { SignedCommand, SignedClient } from './signed-client.ts'

export class GetAlternateContactCommand extends SignedCommand<
  { AlternateContactType: 'SECURITY' | 'BILLING' | 'OPERATIONS' },
  { AlternateContact?: { EmailAddress?: string } }
> {}

export class AccountClient extends SignedClient {
  protected readonly service = 'account'
  protected callOf = (_: string, input: object) => ({
    method: 'POST' as const,
    path: '/getAlternateContact',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(input),
  })
}
