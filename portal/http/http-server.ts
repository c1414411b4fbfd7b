import { METHODS } from 'node:http';
import Fastify, {
  type FastifyInstance,
  type FastifyReply,
  LogController,
  type onRequestHookHandler,
} from 'fastify';
import type { z } from 'zod';
import type { RateCounter } from '../accounts/rate-window.ts';
import { limitByAddress } from './address-rate.ts';
import { answerInOrder } from './answer-in-order.ts';
import { watchBodies } from './body-arrival.ts';
import { CONNECTION_LIMITS } from './connection-limits.ts';
import { type Ending, endGracefully } from './ending.ts';
import { enterByTurns } from './entrance.ts';
import {
  handleErrors,
  type KnownErrors,
  refuseConnection,
  refuseSlashedPaths,
} from './error-handling.ts';
import { ignoreExpectations, requireHost } from './http-semantics.ts';
import { takeJsonBodies } from './json-body.ts';
import { refuseKeysInUrls } from './key-in-url.ts';
import { knowPaths } from './known-paths.ts';
