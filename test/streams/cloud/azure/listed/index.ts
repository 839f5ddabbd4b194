import { compute } from './compute.ts'
import { database } from './database.ts'
import { learning } from './learning.ts'
import { management } from './management.ts'
import { messaging } from './messaging.ts'
import { network } from './network.ts'
import { storage } from './storage.ts'

export const listedCases = [...network, ...compute, ...database, ...messaging, ...management, ...learning, ...storage]
