import { getHeapStatistics } from 'node:v8';
import { MessageChannel, receiveMessageOnPort } from 'node:worker_threads';
import type { TaskResult } from '../../builder/tasks/run-task.ts';
import type { Task } from '../../builder/tasks/task.ts';
import { openThreads, type ThreadPool } from '../../builder/threads/pool.ts';
import type { TaskMessage, TaskThreadInput, TaskThreadRequest } from './task-thread.ts';

/**
 * Runs tasks one after another in a thread, which is kept for the next task, since loading and
 * compiling the program takes longer than a small task.
 */
export class TaskRunner {
  readonly #input: TaskThreadInput;
  #thread: ThreadPool<TaskThreadRequest, TaskResult> | null = null;

  constructor(input: TaskThreadInput) {
    this.#input = input;
  }

  /** Runs a task and returns its result; its progress goes to `onMessage`. */
  async run(task: Task, onMessage: (message: TaskMessage) => void): Promise<TaskResult> {
    this.#thread ??= this.#start();
    const { port1, port2 } = new MessageChannel();
    port1.on('message', onMessage);
    try {
      const result = await this.#thread.run({ task, port: port2 }, [port2]);
      // The result may overtake messages that were sent before it.
      for (let last = receiveMessageOnPort(port1); last; last = receiveMessageOnPort(port1)) {
        onMessage(last.message);
      }
      return result;
    } catch (error) {
      // The next task must not find remains of a task that broke off.
      await this.end();
      throw error;
    } finally {
      port1.close();
    }
  }

  /** Ends the thread, which frees its memory; a task in progress fails. */
  async end(): Promise<void> {
    const thread = this.#thread;
    this.#thread = null;
    await thread?.close();
  }

  #start(): ThreadPool<TaskThreadRequest, TaskResult> {
    const heap = Math.max(this.#input.memory, getHeapStatistics().heap_size_limit);
    return openThreads(new URL('./task-thread.js', import.meta.url), 1, this.#input, heap);
  }
}
