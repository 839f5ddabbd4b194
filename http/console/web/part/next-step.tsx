/** The next step where nothing is there: told to who may take it; others read which right it needs, and of whom to get it. */
import { Fragment, type ComponentChildren } from 'preact'
import { hrefOf } from '../router.ts'
import { may } from '../session.ts'

export interface NextProps {
  /** As the API names it; of several one is enough. */
  needs: string | readonly string[]
  /** The step as a noun, at the beginning of a sentence: Making one. */
  what: string
  children?: ComponentChildren
}

export function Next({ needs, what, children }: NextProps) {
  const rights = [needs].flat()
  if (rights.some(may)) return <>{children}</>
  return (
    <>
      {what} requires the permission{' '}
      {rights.map((right, at) => (
        <Fragment key={right}>
          {at > 0 && ' or '}
          <code>{right}</code>
        </Fragment>
      ))}
      , which your role does not have. Ask an administrator of your organization to do it or to grant you the
      permission.
    </>
  )
}

/** Where there are no bills. `then` follows for who may bring some. */
export const ToBills = ({ then = '.' }: { then?: ComponentChildren }) => (
  <Next needs={['space.create', 'space.update']} what="Connecting a cloud account or uploading a bill">
    <a href={hrefOf('sources')}>Connect a cloud account or upload a bill</a>
    {then}
  </Next>
)
