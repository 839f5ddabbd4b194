/** Lists blobs of a container, and reads them in ranges; all ranges are of the same version of the blob. */
import { Readable } from 'node:stream'
import { Fault } from '#engine/value/fault.ts'
import { cloudFault } from '#streams/cloud/connector.ts'
import { rangesWithin } from '#streams/cloud/bill/stored-object.ts'
import { blobRead } from '#streams/cloud/azure/permission/permissions.ts'
import type { AzureSession, Call } from '#streams/cloud/azure/session/session.ts'

export interface ContainerAt {
  account: string
  container: string
}

export interface Blob extends ContainerAt {
  name: string
  at: Date
  size: number
  etag: string
}

/** Maximum bytes of blobs that are read as a whole. */
const textBytesMax = 64 * 1024 * 1024
const blobsMax = 1_000_000

export const callOf = (
  { account, container }: ContainerAt,
  name: string,
  query: Record<string, string> = {},
): Call => ({
  host: { blobs: account },
  path: `/${container}${name === '' ? '' : `/${name.split('/').map(encodeURIComponent).join('/')}`}`,
  query,
  permission: blobRead,
  headers: { 'x-ms-version': '2023-11-03', accept: '*/*' },
})

/** Blobs whose names begin with `prefix`, sorted by name. */
export async function* blobsIn(session: AzureSession, at: ContainerAt, prefix: string): AsyncGenerator<Blob> {
  let marker = ''
  let count = 0
  do {
    const query = { restype: 'container', comp: 'list', prefix, ...(marker !== '' && { marker }) }
    const text = (await session.raw(callOf(at, '', query))).body.toString('utf8')
    for (const [, inside = ''] of text.matchAll(/<Blob>(.*?)<\/Blob>/gs)) {
      if (++count > blobsMax)
        throw cloudFault('user_action', 'billing_export_invalid', `The location has more than ${blobsMax} blobs.`, {
          fixHint: 'Use the directory of the export.',
        })
      yield blobOf(at, inside)
    }
    marker = elementIn(text, 'NextMarker')
  } while (marker !== '')
}

function blobOf(at: ContainerAt, inside: string): Blob {
  const [, encoded, name = ''] = /<Name( Encoded="true")?>([^<]*)<\/Name>/.exec(inside) ?? []
  const told = textOf(name)
  return {
    ...at,
    name: encoded ? decodeURIComponent(told) : told,
    at: new Date(elementIn(inside, 'Last-Modified') || 0),
    size: Number(elementIn(inside, 'Content-Length') || 0),
    etag: elementIn(inside, 'Etag'),
  }
}

const elementIn = (text: string, name: string): string =>
  textOf(new RegExp(`<${name}>([^<]*)</${name}>`).exec(text)?.[1] ?? '')

const entities: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }
const textOf = (xml: string): string =>
  xml.replace(/&(#x?)?(\w+);/g, (whole, number: string | undefined, name: string) => {
    if (number === undefined) return entities[name] ?? whole
    return String.fromCodePoint(Number.parseInt(name, number === '#x' ? 16 : 10))
  })

/** Streams a blob's bytes in order. */
export const blobBytes = (session: AzureSession, blob: Blob): Readable =>
  Readable.from(rangesOf(session, blob), { objectMode: false })

export async function blobText(session: AzureSession, blob: Blob): Promise<string> {
  if (blob.size > textBytesMax)
    throw cloudFault('user_action', 'bill_unreadable', `${blob.name} is larger than ${textBytesMax} bytes.`)
  const parts: Buffer[] = []
  for await (const part of rangesOf(session, blob)) parts.push(part)
  return Buffer.concat(parts).toString('utf8')
}

/** @throws `bill_replaced` of bucket `transient` if the blob was replaced meanwhile */
async function* rangesOf(session: AzureSession, blob: Blob): AsyncGenerator<Buffer> {
  for (const [first, last] of rangesWithin(blob.size)) {
    const range = `bytes=${first}-${last}`
    const call = callOf(blob, blob.name)
    const headers = { ...call.headers, 'x-ms-range': range, ...(blob.etag !== '' && { 'if-match': blob.etag }) }
    try {
      yield (await session.raw({ ...call, headers })).body
    } catch (error) {
      if (!(error instanceof Fault) || error.code !== 'replaced') throw error
      throw cloudFault('transient', 'bill_replaced', `${blob.name} was overwritten while it was being read.`, {}, error)
    }
  }
}
