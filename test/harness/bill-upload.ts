/** Uploads of bills, as a client of the API sends them. */
import { once } from 'node:events'
import { request, type IncomingMessage } from 'node:http'
import { expect } from 'chai'
import { waitUntilSettled } from '#config/state/wait-for-ingest.ts'
import { answerOf, until, type Answer, type Tenant } from '#test/harness/product.ts'
import { csv } from '#test/streams/billing/reading.ts'

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
  return `/billing/uploads?${asked.toString()}`
}

/** Files as a form; a text or bytes as the body itself. */
export async function upload(
  org: Pick<Tenant, 'url' | 'token'>,
  what: Content | Record<string, Content>,
  how: How = {},
): Promise<Answer> {
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

export interface OpenUpload {
  /** Resolves once it is on its way. */
  write: (text: string) => Promise<void>
  end: () => void
  hangUp: () => void
  answer: Promise<Answer>
}

/** An upload whose body is written bit by bit. */
export function openUpload(org: Pick<Tenant, 'url' | 'token'>, how: How & { bytes?: number } = {}): OpenUpload {
  const headers = {
    Authorization: `Bearer ${org.token}`,
    'Content-Type': 'application/octet-stream',
    ...(how.bytes !== undefined && { 'Content-Length': how.bytes }),
  }
  const asked = request(`${org.url}${uploadPath(how)}`, { method: 'POST', headers })
  const answer = once(asked, 'response').then(async ([response]) => {
    const { statusCode, headers: sent } = response as IncomingMessage
    const text = (await Array.fromAsync(response as IncomingMessage)).join('')
    return { status: statusCode!, headers: new Headers(sent as Record<string, string>), body: JSON.parse(text) }
  })
  // Of one that is hung up on nobody waits for the answer.
  answer.catch(() => {})
  asked.on('error', () => {})
  return {
    write: (text) => new Promise((resolve) => asked.write(text, () => resolve())),
    end: () => asked.end(),
    hangUp: () => asked.destroy(),
    answer,
  }
}

/** Rows of one resource a day each, from 2024-09-19 on, that cost so much. */
export const daily = (...costs: string[]): string =>
  csv(...costs.map((cost, n) => focusRow(`i-${n}`, cost, `2024-09-${19 + n}`)))

/** The upload that was taken. */
export function taken({ status, body }: Answer): Record<string, any> {
  expect(status, JSON.stringify(body)).to.equal(201)
  return body.data
}

/** What reports are made of, once all days are added up: dollars and lines. */
export async function billed(org: Tenant): Promise<[string, number]> {
  await waitUntilSettled(org.connections, org.orgId, new Map(), () => {})
  const sql = `SELECT toString(sum(BilledCost)) AS usd, count() AS lines FROM cost_lines WHERE x_OrgId = {org:String}`
  const [found] = await org.facts<{ usd: string; lines: number }>(sql)
  return [found!.usd, Number(found!.lines)]
}

export const reachBilled = (org: Tenant, usd: string, lines: number): Promise<void> =>
  until(`${lines} lines of ${usd}`, async () => {
    const now = await billed(org)
    return now[0] === usd && now[1] === lines
  })
