/** Uploads of bills, as a client of the API sends them. */
import { answerOf, until, type Answer, type Tenant } from '#test/harness/product.ts'

/** A row of a FOCUS bill. */
export const focusRow = (
  resource: string,
  cost: string,
  day = '2024-09-19',
  more: Record<string, string> = {},
): Record<string, string> => ({
  BilledCost: cost,
  ChargePeriodStart: `${day}T00:00:00Z`,
  BillingPeriodStart: `${day.slice(0, 7)}-01T00:00:00Z`,
  ProviderName: 'AWS',
  BillingCurrency: 'USD',
  ResourceId: resource,
  ...more,
})

type Content = string | Uint8Array<ArrayBuffer>

export const formOf = (files: Readonly<Record<string, Content>>): FormData => {
  const form = new FormData()
  for (const [name, content] of Object.entries(files)) form.append('file', new Blob([content]), name)
  return form
}

interface How {
  account?: string
  query?: Record<string, string | string[]>
  token?: string
}

/** The address of an upload. */
export function uploadPath({ account = 'a', query = {} }: How = {}): string {
  const asked = new URLSearchParams({ cloud_account_id: account })
  for (const [name, values] of Object.entries(query)) for (const value of [values].flat()) asked.append(name, value)
  return `/billing/uploads?${asked}`
}

/** Files as a form; a text or bytes as the body itself. */
export async function upload(org: Tenant, what: Content | Record<string, Content>, how: How = {}): Promise<Answer> {
  const isBody = typeof what === 'string' || what instanceof Uint8Array
  const response = await fetch(`${org.url}${uploadPath(how)}`, {
    method: 'POST',
    headers: {
      Authorization: `Bearer ${how.token ?? org.token}`,
      ...(isBody && { 'Content-Type': 'application/octet-stream' }),
    },
    body: isBody ? what : formOf(what),
  })
  return answerOf(response)
}

/** Applies an upload, and waits until its end was read. */
export async function applied(org: Tenant, id: string, body: object = {}): Promise<Record<string, any>> {
  const { status, body: answer } = await org.send('POST', `/billing/uploads/${id}/apply`, body)
  if (status !== 202) throw new Error(`${status} ${JSON.stringify(answer)}`)
  return ended(org, id)
}

export async function ended(org: Tenant, id: string): Promise<Record<string, any>> {
  let found: Record<string, any> = {}
  await until('the end of the upload', async () => {
    found = (await org.get(`/billing/uploads/${id}`)).body.data
    return found['state'] !== 'applying'
  })
  return found
}
