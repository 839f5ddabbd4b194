/** Where figures come from: connected accounts, bills that are uploaded, and messages that could not be taken. */
import { Head } from '../../part/head.tsx'
import { ViewTabs, tabAsked } from '../../part/tabs.tsx'
import { Accounts } from './accounts.tsx'
import { Connect } from './connect.tsx'
import { DeadLetters } from './dead-letters.tsx'
import { Exports } from './exports.tsx'
import { PermissionsPanel } from './permissions.tsx'
import { DuplicateCharges } from './duplicate-charges.tsx'
import { Upload } from './upload.tsx'
import { Uploads } from './uploads.tsx'

const tabs = [
  { name: 'accounts', title: 'Accounts' },
  { name: 'bills', title: 'Uploaded bills' },
  { name: 'dead-letters', title: 'Dead letters' },
] as const

export function View() {
  const chosen = tabAsked(tabs)
  return (
    <>
      <Head title="Sources" />
      <ViewTabs view="sources" label="Sources" tabs={tabs} />
      {chosen.name === 'accounts' && (
        <>
          <DuplicateCharges />
          <Connect />
          <PermissionsPanel />
          <Accounts />
        </>
      )}
      {chosen.name === 'bills' && (
        <>
          <DuplicateCharges />
          <Upload />
          <Uploads />
          <Exports />
        </>
      )}
      {chosen.name === 'dead-letters' && <DeadLetters />}
    </>
  )
}
