/** The sign-in page: a password, what else the installation has set up, and the ways to an account. */
import type { ComponentType } from 'preact'
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { hrefOf } from '../router.ts'
import type { Problem } from '../problem.ts'
import { challenge, isOver, signInProblem, session, signOut } from '../session.ts'
import { Confirmation, ForgotPassword, Reset, SignUpForm } from './sign-in/account.tsx'
import { ProviderButtons } from './sign-in/providers.tsx'
import { Lead, type SignInDraft, type SignInStep, type Way } from './sign-in/form.tsx'
import { Password, SecondFactor } from './sign-in/password.tsx'

const forms: Readonly<Record<SignInStep, ComponentType<{ way: Way }>>> = {
  in: ({ way }) => (
    <>
      <Password way={way} />
      {isOver.value ? <Besides /> : <ProviderButtons way={way} />}
    </>
  ),
  up: SignUpForm,
  confirm: Confirmation,
  forgotten: ForgotPassword,
  reset: Reset,
}

export function SignIn() {
  const [step, setStep] = useState<SignInStep>('in')
  const [said, setSaid] = useState('')
  const [kept, setKept] = useState<SignInDraft>({ email: session.value?.user.email ?? '', password: '' })
  useEffect(() => {
    const before = document.title
    document.title = 'Sign in · Tidemark'
    return () => {
      document.title = before
    }
  }, [])
  const way: Way = {
    kept,
    keep: (some) => setKept((before) => ({ ...before, ...some })),
    to: (next, why = '') => {
      signInProblem.value = undefined
      setSaid(why)
      setStep(next)
    },
  }
  const wrong = signInProblem.value
  const Form = forms[step]
  const Place = isOver.value ? 'div' : 'main'
  return (
    <Place class="alone sign-in">
      <h1>
        <span class="mark" aria-hidden="true" />
        Tidemark
      </h1>
      <div role="status">{said !== '' && !wrong && <p class="note good">{said}</p>}</div>
      {wrong && <Wrong problem={wrong} />}
      {challenge.value === '' ? <Form way={way} /> : <SecondFactor />}
    </Place>
  )
}

/** Over a page whose session has ended, until somebody is signed in: here, or in another page of the browser. */
export function SignInAgain() {
  const box = useRef<HTMLDialogElement>(null)
  // Before the form puts the focus where something is to be typed.
  useLayoutEffect(() => {
    const before = document.activeElement as HTMLElement | null
    box.current!.showModal()
    return () => before?.focus()
  }, [])
  const stay = (event: Event) => event.preventDefault()
  return (
    <dialog class="over" aria-label="Sign in again" closedby="none" ref={box} onCancel={stay}>
      <p class="note" role="status">
        Your session has ended. Sign in again as {session.value!.user.email}. The page is as you left it and what you
        typed is still there; nothing has been sent since.
      </p>
      <SignIn />
    </dialog>
  )
}

/** Other ways leave the page, and with it what was typed: they are gone in another. */
const Besides = () => (
  <>
    <p class="faint">
      To use single sign-on or a link,{' '}
      <a href={hrefOf('overview')} target="_blank">
        sign in in another tab
      </a>
      . This page then continues automatically.
    </p>
    <p class="leads">
      <Lead onClick={() => void signOut()}>Sign out and discard what I typed</Lead>
    </p>
  </>
)

const Wrong = ({ problem: { message, errors, retryAfter, status } }: { problem: Problem }) => (
  <div class="note bad" role="alert">
    <p>
      {message}
      {status === 429 && retryAfter !== undefined && ` Try again in ${retryAfter} seconds.`}
    </p>
    {errors.length > 0 && (
      <ul>
        {errors.map((one) => (
          <li key={`${one.name} ${one.message}`}>
            <code>{one.name.replace(/^\//, '')}</code> {one.message}
          </li>
        ))}
      </ul>
    )}
  </div>
)
