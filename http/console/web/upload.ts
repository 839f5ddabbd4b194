/** Sends files with how far it is: `fetch` cannot tell, so this asks in the older way. */
import { addressOf, type Query } from './address.ts'
import { ask, type Operation, type Reply } from './api.ts'
import { Problem } from './problem.ts'
import { bearer } from './session.ts'

export interface FileUpload<O extends Operation> {
  answer: Promise<Reply<O>>
  /** Ends it; what was sent never counts. */
  stop: () => void
}

/** `onSent` is told how many bytes are there, of how many. The answer is rejected with a Problem. */
export function sendFiles<O extends Operation>(
  operation: O,
  query: Query,
  files: readonly File[],
  onSent: (sent: number, of: number) => void,
): FileUpload<O> {
  const request = new XMLHttpRequest()
  const form = new FormData()
  for (const file of files) form.append('file', file, file.name)
  const answer = (async () => {
    // A token that runs out is renewed before, not in the middle.
    await ask('GET /auth/me')
    return new Promise<Reply<O>>((resolve, reject) => {
      request.open('POST', addressOf(operation, undefined, query))
      request.setRequestHeader('Authorization', `Bearer ${bearer()}`)
      request.upload.addEventListener('progress', ({ loaded, total }) => onSent(loaded, total))
      request.addEventListener('load', () => {
        const body = bodyOf(request.responseText)
        if (request.status < 300) resolve(body['data'] as Reply<O>)
        else reject(new Problem(request.status, body, Number(request.getResponseHeader('Retry-After')) || undefined))
      })
      request.addEventListener('error', () => reject(brokenOff()))
      request.addEventListener('abort', () =>
        reject(new Problem(0, { code: 'stopped', detail: 'You canceled the upload. Nothing was imported.' })),
      )
      request.send(form)
    })
  })()
  return { answer, stop: () => request.abort() }
}

const brokenOff = (): Problem =>
  new Problem(0, {
    code: 'unreachable',
    detail: 'The connection was lost and nothing was imported. Your files are still selected: upload them again.',
  })

function bodyOf(text: string): Record<string, unknown> {
  try {
    return JSON.parse(text) as Record<string, unknown>
  } catch {
    return {}
  }
}
