/** The sign-in page: a password, what else the installation has set up, and the ways to an account. */
import type { ComponentType } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { html } from '../html.ts'
import type { Problem } from '../problem.ts'
import { challenge, refused } from '../session.ts'
import { Confirmation, Forgotten, Reset, Up } from './sign-in/account.ts'
import { Elsewhere } from './sign-in/elsewhere.ts'
import type { Kept, Step, Way } from './sign-in/form.ts'
import { Password, SecondFactor } from './sign-in/password.ts'

const forms: Readonly<Record<Step, ComponentType<{ way: Way }>>> = {
  in: ({ way }) => html`<${Password} way=${way} /><${Elsewhere} way=${way} />`,
  up: Up,
  confirm: Confirmation,
  forgotten: Forgotten,
  reset: Reset,
}

export function SignIn() {
  const [step, setStep] = useState<Step>('in')
  const [said, setSaid] = useState('')
  const [kept, setKept] = useState<Kept>({ email: '', password: '' })
  useEffect(() => {
    document.title = 'Sign in · Tidemark'
  }, [])
  const way: Way = {
    kept,
    keep: (some) => setKept((before) => ({ ...before, ...some })),
    to: (next, why = '') => {
      refused.value = undefined
      setSaid(why)
      setStep(next)
    },
  }
  const wrong = refused.value
  return html`<main class="alone sign-in">
    <h1><span class="mark" aria-hidden="true"></span>Tidemark</h1>
    <div role="status">${said !== '' && !wrong && html`<p class="note good">${said}</p>`}</div>
    ${wrong && html`<${Wrong} problem=${wrong} />`}
    ${challenge.value === '' ? html`<${forms[step]} way=${way} />` : html`<${SecondFactor} />`}
  </main>`
}

const Wrong = ({ problem: { message, errors, retryAfter, status } }: { problem: Problem }) =>
  html`<div class="note bad" role="alert">
    <p>${message}${status === 429 && retryAfter !== undefined && ` It can be tried again in ${retryAfter} seconds.`}</p>
    ${errors.length > 0 && html`<ul>${errors.map((one) => html`<li><code>${one.name.replace(/^\//, '')}</code> ${one.message}</li>`)}</ul>`}
  </div>`
