import type { IncomingMessage } from 'node:http'
import { Fault } from '#engine/value/fault.ts'
import { parseJson } from '#engine/value/json.ts'
import { badInput, type InputError } from '#http/edge/problem.ts'
import { isUnclean, pointerStep } from './text.ts'

const bytesMax = 1024 * 1024
const depthMax = 32
const mediaType = /^application\/json\s*(?:;\s*charset\s*=\s*"?utf-8"?\s*)?$/i

/**
 * Reads a JSON body of at most 1 MiB, `other` being a media type of it that is taken too; no body is `undefined`. What is left of a body over the limit is read by the server
 * and dropped, so that the answer reaches the caller.
 * @throws Fault `malformed_json`, `body_too_large`, `unsupported_media_type`, `validation_failed`
 */
export async function readJson(request: IncomingMessage, other?: string): Promise<unknown> {
  const { headers } = request
  const declared = Number(headers['content-length'] ?? 0)
  if (declared === 0 && headers['transfer-encoding'] === undefined) return undefined
  const type = headers['content-type']?.trim().toLowerCase() ?? ''
  if (other === undefined || !type.startsWith(other)) checkMedia(headers)
  else checkEncoding(headers)
  if (declared > bytesMax) throw tooLarge()
  const bytes = await read(request)
  if (bytes.length === 0) return undefined
  const value = parseBody(bytes)
  const error = flaw(value, '', 1)
  if (error) throw badInput(error)
  return value
}

const formType = /^application\/x-www-form-urlencoded\s*(?:;\s*charset\s*=\s*"?utf-8"?\s*)?$/i

/** Reads a form of at most 1 MiB into its fields; one that stands twice is a list. @throws as `readJson` */
export async function readForm(request: IncomingMessage): Promise<Record<string, unknown>> {
  checkMedia(request.headers, formType, 'application/x-www-form-urlencoded')
  if (Number(request.headers['content-length'] ?? 0) > bytesMax) throw tooLarge()
  const fields: Record<string, unknown> = {}
  const parameters = new URLSearchParams((await read(request)).toString('utf8'))
  for (const name of new Set(parameters.keys())) {
    const values = parameters.getAll(name)
    const error = flaw({ [name]: values }, '', 1)
    if (error) throw badInput(error)
    fields[name] = values.length === 1 ? values[0] : values
  }
  return fields
}

const tooLarge = (max = bytesMax): Fault =>
  Fault.invalid('body_too_large', `The body must not be larger than ${max} bytes.`)

function checkMedia(headers: IncomingMessage['headers'], wanted = mediaType, name = 'application/json'): void {
  if (!wanted.test(headers['content-type']?.trim() ?? '')) {
    throw Fault.invalid('unsupported_media_type', `Send the body with Content-Type: ${name}.`)
  }
  checkEncoding(headers)
}

function checkEncoding(headers: IncomingMessage['headers']): void {
  if ((headers['content-encoding'] ?? 'identity').trim().toLowerCase() !== 'identity') {
    throw Fault.invalid('unsupported_media_type', 'Send the body without a Content-Encoding.')
  }
}

/** Reads a body of any media type as it comes. What is left of one over the limit is dropped. @throws Fault `body_too_large`, `malformed_request` */
export async function readBytes(request: IncomingMessage, max: number): Promise<Buffer> {
  checkLength(request, max)
  return read(request, max)
}

/**
 * Reads a body out of a budget that all who are not known yet share, and gives it back once `look` has looked at it. Bytes are taken as
 * they arrive: a length that is told and never sent keeps nobody out.
 * @throws as `readBytes`; Fault `transient` `unavailable` where the budget has no room for it: before it is read, where its length is told
 */
export async function withBytes<T>(
  request: IncomingMessage,
  max: number,
  budget: ByteBudget,
  look: (raw: Buffer) => T,
): Promise<T> {
  checkLength(request, max)
  let taken = 0
  const take = (bytes: number): boolean => {
    if (!budget.take(bytes)) return false
    taken += bytes
    return true
  }
  try {
    if (!budget.hasRoom(Number(request.headers['content-length'] ?? 0))) throw full(request)
    return look(await read(request, max, take))
  } finally {
    budget.give(taken)
  }
}

/** Bytes that may be held at once, by however many. */
export class ByteBudget {
  private left: number

  constructor(bytesMax: number) {
    this.left = bytesMax
  }

  hasRoom(bytes: number): boolean {
    return bytes <= this.left
  }

  take(bytes: number): boolean {
    if (!this.hasRoom(bytes)) return false
    this.left -= bytes
    return true
  }

  give(bytes: number): void {
    this.left += bytes
  }
}

/** What is left of the body is dropped, so that the answer reaches the caller. */
function full(request: IncomingMessage): Fault {
  request.resume()
  return Fault.transient('unavailable', 'Too many request bodies are being read at once. Try again in a moment.')
}

function checkLength(request: IncomingMessage, max: number): void {
  if (Number(request.headers['content-length'] ?? 0) <= max) return
  request.resume()
  throw tooLarge(max)
}

async function read(
  request: IncomingMessage,
  max = bytesMax,
  take: (bytes: number) => boolean = () => true,
): Promise<Buffer> {
  const chunks: Buffer[] = []
  let bytes = 0
  let hasRoom = true
  try {
    for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      bytes += chunk.length
      if (bytes > max || !(hasRoom = take(chunk.length))) break
      chunks.push(chunk)
    }
  } catch {
    throw Fault.invalid('malformed_request', 'The body is incomplete.')
  }
  if (!hasRoom) throw full(request)
  if (bytes <= max) return Buffer.concat(chunks, bytes)
  request.resume()
  throw tooLarge(max)
}

const utf8 = new TextDecoder('utf-8', { fatal: true })

/** @throws Fault `malformed_json` for what is no JSON in UTF-8 */
export function parseBody(bytes: Buffer): unknown {
  try {
    return parseJson(utf8.decode(bytes))
  } catch {
    throw Fault.invalid('malformed_json', 'The body is not valid JSON.')
  }
}

const forbiddenKeys: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype'])

/** The first thing in `value` that no schema would catch and no store should get. Stops at `depthMax`, so it ends. */
function flaw(value: unknown, at: string, depth: number): InputError | undefined {
  if (typeof value === 'string' && isUnclean(value))
    return error(at, 'text', 'contains a character that is not allowed in text')
  if (typeof value !== 'object' || value === null) return undefined
  if (depth > depthMax) return error(at, 'depth', `must not be nested deeper than ${depthMax} levels`)
  for (const [key, item] of Object.entries(value)) {
    const here = at + pointerStep(key)
    if (forbiddenKeys.has(key)) return error(here, 'name', 'has a name that is not allowed')
    if (isUnclean(key)) return error(at, 'text', 'has a name with a character that is not allowed in text')
    const found = flaw(item, here, depth + 1)
    if (found) return found
  }
  return undefined
}

const error = (name: string, code: string, message: string): InputError => ({ in: 'body', name, code, message })
